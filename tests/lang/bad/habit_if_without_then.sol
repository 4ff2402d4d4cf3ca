//! 8:5: error: expected 'then' after the condition of 'if', found 'x'
//! 10:5: error: the last branch begins with 'else then', found 'x'
model A
interface:
  static Real x;
implementation:
  if time > 2
    x = 1;
  else
    x = 2;
  end if;
end A;
