//! 8:7: error: 'end if' closes the 'when' that begins here
//! 6:3: note: the 'when'
model A
implementation:
  Real x;
  when time > 1 then
    x << 1;
  end if;
end A;
