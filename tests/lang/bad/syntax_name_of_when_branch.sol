//! 5:24: error: a branch of 'when' has no name: it lasts no time; one of 'if' may have one
model M
implementation:
  static Boolean b; static Real x; x = time;
  when time > 0.5 then "late" b << true; end;
  if b then "late" else then "early" end if;
end M;
