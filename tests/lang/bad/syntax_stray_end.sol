//! 6:3: error: this 'end' closes nothing
//! 7:7: error: expected an expression, found ';'
model A
implementation:
  Real x;
  end;
  x = ;
end A;
