//! 5:5: error: expected the name of the member after its type, found '='
model A
interface:
  Real x;
  x = 1;
end A;
