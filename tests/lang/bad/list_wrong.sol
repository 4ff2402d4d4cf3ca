//! 49:21: error: a dynamic array is born empty: elements are added by 'more <- ..'
//! 50:21: error: a dynamic array has no size: it is born empty, and written '[]'
//! 51:19: error: only dynamic arrays have no size: 'dynamic Car cars[]' is empty first
//! 52:3: error: only models can be dynamic; 'numbers' is a variable
//! 59:3: error: an element keeps its place: others are added at the end, 'cars <- ..'
//! 60:3: error: an element keeps its place: others are added at the end, 'cars <- ..'
//! 61:10: error: 'cars' is a dynamic array: name an element, as in 'cars[1]', or all of them: 'for c in cars'
//! 62:11: error: 'cars' cannot hold this: public member 'x' is missing
//! 63:11: error: 'cars' is a dynamic array: name an element, as in 'cars[1]', or all of them: 'for c in cars'
//! 64:12: error: there is no 'cars[0]': numbers begin with 1
//! 64:24: error: a dynamic array has no slices
//! 64:38: error: 'cars' has 1 subscript
//! 65:17: error: a subscript is Real, but Integer is needed; round() makes an Integer
//! 67:5: error: 'cars' would grow without end: each element adds another one
//! 68:5: error: 'cars' would grow without end: each element adds another one
//! 69:5: error: 'c' is an element of the array that the loop goes over
//! 70:5: error: 'c' is an element of the array that the loop goes over
//! 71:9: error: 'c' is a model, not a value
//! 72:18: error: a neighbour is at most 16 places away
//! 72:37: error: 'c' is a model, not a value
//! 72:49: error: 'c' is an element of another array: it has no number here
//! 73:33: error: 'c' is a model, not a value
//! 73:37: error: 'd' is a model, not a value
//! 75:12: error: 'a' may change its instance: a loop goes over arrays of static members
//! 76:12: error: 'for' goes over numbers, as in '1:n', or over an array with one size
//! 77:12: error: unknown name 'nothing'
//! 78:14: error: a bound of 'for' is made of parameters, constants and iterators: it never changes
//! 79:30: error: a sum over a dynamic array has one iterator
//! 80:17: error: a size is made of parameters, constants and iterators: it never changes
//! 81:6: error: 'cars' is a dynamic array: name an element, as in 'cars[1]', or all of them: 'for c in cars'
//! 82:11: error: 'cars' is a dynamic array: name an element, as in 'cars[1]', or all of them: 'for c in cars'
//! 83:25: error: sums over dynamic arrays are no values of parameters
//! 84:11: error: 'c' is a model, not a value
//! 85:7: error: 'size' is asked of an array by its name: 'size(T)', 'size(T, 2)'
model Car
interface:
  static Real x;
  parameter Real k << 1;
implementation:
  der(x, start << 0) = k;
end Car;
model Other
interface:
  static Real y;
end Other;
model A
interface:
  dynamic Car cars[];
  dynamic Car more[]{k << 1};
  dynamic Car three[3];
  static Car fixed[];
  dynamic Real numbers[];
  static Car row[2];
  static Real total;
  static Real s;
implementation:
  dynamic Car one;
  dynamic A a;
  cars[1] <- Car{};
  cars[1] << one;
  one <- cars;
  cars <- Other{};
  total = cars.x;
  s = cars[0].x + cars[1:2].x + cars[1, 2].x;
  trash <- cars[1.5];
  for c in cars then
    cars <- Car{};
    cars << c;
    c << one;
    c <- one;
    row[c].x = 1;
    total = cars[c + 17].x + cars[2*c].x + more[c].x;
    for d in more then s = cars[c + d].x; end for;
  end for;
  for c in a.cars then end for;
  for c in one then end for;
  for c in nothing then end for;
  for i in 1:size(cars) then end for;
  s = sum(c.x for c in cars, d in cars);
  static Real T[size(cars)];
  if cars? then end if;
  total = cars + 1;
  static Car given{k << sum(c.x for c in cars)};
  s = sum(c for c in cars);
  s = size(cars, 2);
end A;
