//! 10:8: error: a model is needed here: a member or an anonymous declaration
//! 10:3: error: 'x' is a variable; values are copied by '<<'
//! 11:8: error: a model is needed here: a member or an anonymous declaration
model B
end B;
model A
implementation:
  Real x;
  dynamic B b;
  x <- 1;
  b <- x;
end A;
