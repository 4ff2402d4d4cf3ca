//! 7:15: error: 'x' is given twice
//! 11:3: error: 'x' is given twice
//! 12:3: error: in a function stand 'name = value;' and at the end 'return value;'
//! 15:12: error: expected '(' behind the name of a function, found 'x'
//! 20:1: error: in a function stand 'name = value;' and at the end 'return value;'
//! 22:11: error: expected ';' after the result
function a(x, x)
  return x;
end a;
function b(x)
  x = 2;
  Real y;
  return x;
end b;
function c x
  return x;
end c;
function d(x)
  y = x;
end d;
function e()
  return 1
end e;
model M
end M;
