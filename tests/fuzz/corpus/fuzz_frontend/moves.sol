model L
interface:
  dynamic L next;
  Real x;
implementation:
  x << 1;
end L;
model A
implementation:
  dynamic L a{}; dynamic L b; alias L c;
  c << a;
  when Sample(interval = 1) then
    b <- a;
  else when b? then
    a <- L;
    if a? then
      a.next <- b;
    end;
    trash <- b;
  end;
end A;
