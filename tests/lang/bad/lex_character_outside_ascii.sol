//! 4:10: error: character outside ASCII
model A
implementation:
  Real größe;
end A;
