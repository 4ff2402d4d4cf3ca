//! 22:30: error: one value stands before 'for', as in '{2*i for i in 1:n}'
//! 23:43: error: braces have one iterator: '{{e for j in 1:m} for i in 1:n}' has two sizes
//! 30:24: error: the bounds of an inner 'for' do not depend on an outer one: all rows of an array are equally long
//! 31:21: error: the number of elements changes: 'for' in braces goes over numbers, as in '1:n', or over an array with a size
//! 32:21: error: a bound of 'for' is made of parameters, constants and iterators: it never changes
//! 33:8: error: 'i' is a number
//! 34:8: error: 'i' is a number
//! 35:8: error: unknown name 'y'
//! 36:19: error: 'for' goes over numbers, as in '1:n', or over an array with one size
//! 37:7: error: one value on the left, an array on the right
//! 38:22: error: conditions of one 'when' are listed, as in '{c1, c2}'; for each of many stands a 'when' of its own in a loop
//! 40:8: error: its size depends on 'i': all rows of an array are equally long
model Cell
interface:
  static Real T;
implementation:
  T = 1;
end Cell;
model Rules
interface:
  parameter Integer n << 3;
  parameter Real short[2] << {i, 2 for i in 1:2};
  parameter Real p[2] << {i for i in 1:2, j in 1:2};
  static Real x[3];
  static Real m[3, 3];
  dynamic Cell cells[];
  static Integer k;
  static Real one;
implementation:
  m = {{i*j for j in 1:i} for i in 1:3};
  x = {c.T for c in cells};
  x = {i for i in 1:k};
  x = {i[2] for i in 1:3};
  x = {i.y for i in 1:3};
  x = {y for i in 1:3};
  x = {2 for c in one};
  one = {i for i in 1:3};
  when {x[i] > 0 for i in 1:3} then k << 1; end when;
  k << 0;
  m = {x[i:3] for i in 1:3};
end Rules;
