//! 10:18: error: 'M' does not fit in the place of what it redefines: member 'x' is Integer, not Real
//! 4:9: note: what it replaces
package P
  model M
  interface:
    Real x;
  end M;
end P;
package Q extends P;
  redefine model M
  interface:
    Integer x;
  end M;
end Q;
