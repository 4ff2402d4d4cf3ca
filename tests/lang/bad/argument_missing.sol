//! 8:7: error: 'sin' needs 'x'
//! 8:15: error: 'max' needs 'b'
//! 8:28: error: 'der' needs 'x'
//! 8:36: error: 'sqrt' needs 'x'
model A
implementation:
  Real x;
  x = sin() + max(a = 1) + der() + sqrt;
end A;
