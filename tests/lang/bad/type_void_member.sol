//! 4:3: error: 'Void' is only for parameters of alias binding
model A
implementation:
  Void x;
end A;
