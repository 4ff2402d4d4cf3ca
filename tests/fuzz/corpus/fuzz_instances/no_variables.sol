// A relation without variables, before any other.
model A
implementation:
  1 = 1;
  if time > 0 then
    A inner;
  end if;
end A;
