//! 6:13: error: a parameter of model type must be an alias
model B
end B;
model A
interface:
  parameter B b;
end A;
