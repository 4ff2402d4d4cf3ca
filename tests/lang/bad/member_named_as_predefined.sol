//! 6:15: error: 'time' is predefined and cannot be the name of a member
//! 9:17: error: 'sin' is predefined and cannot be the name of a member
model A
interface:
implementation:
  static Real time;
  time = 1;
  if time > 0 then
    static Real sin;
    sin = 1;
  end if;
end A;
