//! 11:22: error: 'Pin' does not fit in the place of what it redefines: member 'i' is not 'flow'
//! 4:13: note: what it replaces
package P
  connector Pin
  interface:
    potential Real u;
    flow Real i;
  end Pin;
end P;
package Q extends P;
  redefine connector Pin
  interface:
    potential Real u;
    Real i;
  end Pin;
end Q;
