//! 7:3: error: 'elseif' without 'if' or 'when'
model A
interface:
  static Real x;
implementation:
  x = 1;
  elseif x > 1 then
end A;
