//! 6:17: error: circular: 'A' is needed to define itself
model A extends B;
end A;
model B extends C;
end B;
model C extends A;
end C;
