model A
interface:
  parameter Real p << 3;
  static Integer n {start << 3};
  static Boolean on {start << true};
  static String s {start << "a"};
  static Real x {start << 2*p};
  static Real T[3] {start << {1, 2, 3}};
  static Real plain {};
implementation:
  when time > 1 then n << pre(n) + 1; on << not pre(on); s << "b"; end when;
  der(x) = -x;
  for i in 1:3 then der(T[i]) = -T[i]; end for;
  plain = 1;
end A;
