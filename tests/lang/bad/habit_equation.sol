//! 5:1: error: 'equation' is written 'implementation:'
model A
interface:
  static Real x;
equation
  der(x) = 1;
end A;
