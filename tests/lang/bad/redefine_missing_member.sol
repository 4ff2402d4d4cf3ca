//! 11:18: error: 'M' does not fit in the place of what it redefines: public member 'y' is missing
//! 4:9: note: what it replaces
package P
  model M
  interface:
    Real x;
    Real y;
  end M;
end P;
package Q extends P;
  redefine model M
  interface:
    Real x;
  end M;
end Q;
