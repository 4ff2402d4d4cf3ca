// Branches that hang on where states begin, by the attribute and by der; a delay.
model Delayed
implementation:
  Real x{start << 1}; Real y; Real z; Real late;
  der(x) = -x;
  der(x = y, start << -1) = 1;
  z = if x > 0 and y < 0 then 2 else 0;
  late = delay(x, 0.5);
end Delayed;
