//! 9:3: error: 'terminate' stands in a 'when': 'when c then terminate("why"); end'
//! 11:15: error: the message of terminate is a constant text
//! 12:5: error: 'terminate' needs 'message'
//! 13:9: error: 'terminate' stands alone: 'terminate("why")'
model A
implementation:
  static Real x;
  x = time;
  terminate("at once");
  when x > 1 then
    terminate(x);
    terminate();
    x = terminate("now");
  end when;
end A;
