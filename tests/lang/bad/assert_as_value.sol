//! 5:7: error: 'assert' stands alone: 'assert(condition = ..., message = "...")'
model M
implementation:
  Real x;
  x = assert(condition = true, message = "no");
end M;
