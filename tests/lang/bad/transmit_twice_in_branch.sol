//! 12:5: error: a second transmission to 'x' that is active together with the first
//! 11:5: note: the first one
model B
interface:
  Real x;
end B;
model A
implementation:
  B b;
  when time > 1 then
    b.x << 1;
    b.x << 2;
  end;
end A;
