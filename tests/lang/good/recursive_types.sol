// Types that contain themselves compare member by member, however the circle closes.
model List
interface:
  Real value;
  dynamic List next;
end List;

// Two definitions that lead to each other have the same type as List.
model Odd
interface:
  Real value;
  dynamic Even next;
end Odd;

model Even
interface:
  Real value;
  dynamic Odd next;
end Even;

model LongList
interface:
  Real value;
  Real weight;
  dynamic LongList next;
end LongList;

model Mixing
implementation:
  dynamic List a{};
  dynamic Odd b{};
  dynamic Even c;
  dynamic LongList d{};
  when time > 1 then
    a <- b;
    c <- a;
    b <- c;
    a <- d;
    a.next <- LongList{};
  end;
end Mixing;

// A tree that grows inside a branch.
model Tree
interface:
  parameter Integer depth;
implementation:
  if depth > 0 then
    Tree left{depth << depth - 1};
    Tree right{depth << depth - 1};
  end;
end Tree;
