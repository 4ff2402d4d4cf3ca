model A
implementation:
  Real x; Boolean b; Integer n; String s;
  der(x = x, start << -1.5e-3) = -x^2;
  s << "t";
  b << not (x <= 1) and n <> 2 or x > 3;
  if initial() then
    n << 0;
  else then
    when x >= 5 then
      n << pre(n) + 1;
    end when;
  end if;
end A;
