//! 14:5: error: parameter 'p' of 'B' is missing
//! 9:18: note: the parameter
//! 15:5: error: parameter 'p' of 'B' is missing
//! 9:18: note: the parameter
//! 16:3: error: parameter 'p' of 'B' is missing
//! 9:18: note: the parameter
model B
interface:
  parameter Real p;
  parameter Real q << 1;
end B;
model A
implementation:
  B b;
  B c{q << 2};
  B();
end A;
