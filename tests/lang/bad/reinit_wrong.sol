//! 18:3: error: 'reinit' stands in a 'when': 'when c then reinit(x, value); end'
//! 20:5: error: 'reinit' stands in a 'when': 'when c then reinit(x, value); end'
//! 23:12: error: 'reinit' needs a Real variable whose derivative is taken
//! 24:12: error: 'reinit' needs a Real variable whose derivative is taken
//! 25:13: error: 'reinit' needs a Real variable whose derivative is taken
//! 26:15: error: the value is Boolean, but Real is needed
//! 27:5: error: 'reinit' needs 'value'
//! 28:5: error: another value for a state is written 'reinit(x, value)'
//! 29:9: error: 'reinit' stands alone, in a 'when'
model A
interface:
  parameter Real p << 1;
  static Real x;
  static Integer n;
implementation:
  n << 1;
  der(x, start << 1) = -1;
  reinit(x, 2);
  if x < 0.5 then
    reinit(x, 1);
  end if;
  when x < 0 then
    reinit(n, 1);
    reinit(p, 1);
    reinit(2*x, 1);
    reinit(x, true);
    reinit(x);
    reinit{x, 1};
    x = reinit(x, 1);
  end when;
end A;
