//! 9:5: error: 'reinit' is written 'when c then s << value; else then der(x, start << s) = slope; end', with a variable s of its own
//! 11:3: error: 'reinit' is written 'when c then s << value; else then der(x, start << s) = slope; end', with a variable s of its own
model A
interface:
  static Real x;
implementation:
  der(x, start << 1) = -1;
  when x < 0 then
    reinit(x, 1);
  end when;
  reinit(x, 2);
end A;
