//! 4:3: error: a flow must be Real: the flows of a node sum up to 0
connector A
interface:
  flow Integer n;
end A;
