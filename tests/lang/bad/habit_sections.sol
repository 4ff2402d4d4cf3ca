//! 7:1: error: 'Model' is written 'model'
//! 11:3: error: 'Static' is written 'static'
//! 12:1: error: there is no section 'equations': there are 'interface:' and 'implementation:'
//! 17:3: error: there is no section 'variables': there are 'interface:' and 'implementation:'
//! 19:8: error: '=' is an equation; a comparison is written '==', '<=' or '>='
// Sections by other names, words in capitals.
Model A
end A;
model B
interface:
  Static Real x;
equations:
  x = 1;
end B;
model C
implementation:
  variables:
  Real y;
  if y =< 1 then y = 1; end if;
end C;
