//! mode: instantiate
//! 11:16: error: 'first' cannot be copied into a part of itself
model L
interface:
  dynamic L next;
end L;
model A
implementation:
  static L first;
  if initial() then
    first.next << first;
  end if;
end A;
