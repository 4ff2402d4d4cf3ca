//! 8:20: error: 'M' cannot be redefined: one of the two is a package
//! 4:9: note: what it replaces
package P
  model M
  end M;
end P;
package Q extends P;
  redefine package M
  end M;
end Q;
