//! 8:3: error: 'B' is no member of this model
//! 9:3: error: 'sin' is no member of this model
//! 10:3: error: unknown name 'nothing'
model B
end B;
model A
implementation:
  B << 1;
  sin << 2;
  nothing << 3;
end A;
