//! 6:3: error: 'b' is a model; only variables are potential or flow
connector B
end B;
connector A
interface:
  potential B b;
end A;
