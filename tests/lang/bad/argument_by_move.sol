//! 8:5: error: only '=' and '<<' can stand in parentheses
model B
interface:
  in Real u;
end B;
model A
implementation:
  B(u <- 1);
end A;
