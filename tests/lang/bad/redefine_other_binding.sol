//! 12:18: error: 'M' does not fit in the place of what it redefines: member 'b' is static, not dynamic
//! 6:9: note: what it replaces
model B
end B;
package P
  model M
  interface:
    dynamic B b;
  end M;
end P;
package Q extends P;
  redefine model M
  interface:
    static B b;
  end M;
end Q;
