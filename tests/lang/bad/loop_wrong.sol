//! 11:16: error: 'loop' is written 'then'
//! 14:14: error: expected ':' between the bounds, as in '1:n', found 'then'
//! 17:9: error: expected 'in' after the iterator, found 'then'
//! 20:17: error: one iterator for each 'for' of statements
//! 30:7: error: 'end if' closes the 'for' that begins here
//! 26:3: note: the 'for'
model A
interface:
  static Real x;
implementation:
  for i in 1:2 loop
    x = i;
  end for;
  for i in 1 then
    x = 1;
  end for;
  for i then
    x = 1;
  end for;
  for i in 1:2, j in 1:3 then
    x = 1;
  end for;
  for i in 1:x then
    x = 1;
  end for;
  for i in 1:2 then
    i = 3;
    i << 3;
    x = j;
  end if;
end A;
