//! 4:13: error: 'in' cannot stand here: the order is in or out, then potential or flow
connector A
interface:
  potential in Real x;
end A;
