//! 10:3: error: 'elseif' is written 'else if'
//! 17:3: error: 'elsewhen' is written 'else when'
model A
interface:
  static Real x;
  static Real y;
implementation:
  if time > 2 then
    x = 1;
  elseif time > 1 then
    x = 2;
  else then
    x = 3;
  end if;
  when time > 2 then
    y << 1;
  elsewhen time > 1 then
    y << 2;
  end when;
end A;
