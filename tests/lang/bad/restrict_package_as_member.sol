//! 7:3: error: 'P' is a package and has no instances
//! 8:3: error: 'P' is a package and has no instances
package P
end P;
model A
implementation:
  P p;
  P();
end A;
