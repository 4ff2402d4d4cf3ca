//! 11:19: error: 'w' is a member of the instances of 'Machine', not of the model
model Machine
interface:
  Real w;
implementation:
  w = 1;
end Machine;
model A
implementation:
  Machine m;
  cout << Machine.w;
end A;
