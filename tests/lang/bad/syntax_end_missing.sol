//! 4:9: error: 'A' without 'end A'
//! 8:1: note: the next 'end' is that of 'P'
package P
  model A
  implementation:
    Real x;
    x = 1;
end P;
