//! 7:35: error: the message of an assertion is a constant text
//! 8:22: error: a condition is Boolean, not Real
//! 9:3: error: 'assert' needs 'message'
model M
implementation:
  Real x; String s; x = 1; s << "no";
  assert(condition=x > 0, message=s);
  assert(condition = x, message = "positive");
  assert(condition = x > 0);
end M;
