//! 7:3: error: 'else then' was the last branch
//! 8:9: error: expected an expression, found ';'
model A
implementation:
  if true then
  else then
  else if false then
    x = ;
  end;
end A;
