//! 4:3: error: 'der' is predefined and cannot be declared as a member; use it in an expression
model A
implementation:
  der d;
end A;
