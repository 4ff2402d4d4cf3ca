//! 20:8: error: 'l' cannot hold this: member 'value' is Integer, not Real
model Even
interface:
  Real value;
  dynamic Odd next;
end Even;
model Odd
interface:
  Integer value;
  dynamic Even next;
end Odd;
model List
interface:
  Real value;
  dynamic List next;
end List;
model A
implementation:
  dynamic List l;
  l <- Even;
end A;
