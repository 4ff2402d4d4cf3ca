//! 5:3: error: definitions belong before 'interface' and 'implementation'
model A
interface:
  Real x;
  model B
  end B;
end A;
