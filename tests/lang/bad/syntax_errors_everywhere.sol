//! 18:20: error: expected the name of the member after its type, found ';'
//! 19:18: error: expected ';' after the declaration
//! 21:12: error: expected an expression, found ';'
//! 23:11: error: expected an expression, found ';'
//! 25:7: error: the last branch begins with 'else then', found 'z'
//! 25:8: error: expected ';' after the statement
//! 26:11: error: expected ';' after 'end'
//! 30:21: error: expected an expression, found ','
//! 32:19: error: expected a name, found ';'
//! 34:11: error: expected ')', found ';'
//! 35:7: error: 'end D' closes 'C'
//! 32:9: note: 'C' begins here
//! 40:8: error: expected ';' after the statement
//! 41:16: error: expected an expression, found 'then'
package P
  model A
  interface:
    parameter Real ;
    static Real y
  implementation:
    y = 3 +;
    if y > 3 then
      y = ;
    else
      z 4;
    end if
    when y then
      x << 3;
    end;
    connection{a << , b << y};
  end A;
  model C extends ;
  implementation:
    x = (1;
  end D;
end P;
model E
implementation:
  x == 1;
  x = 1 2;
  if x > 1 and then y = 1; end;
end E;
