//! 4:3: error: unknown name 'Resistor'
model A
implementation:
  Resistor r;
end A;
