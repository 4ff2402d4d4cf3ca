//! 8:9: error: 'M' is already defined; use 'redefine' to replace it
//! 4:9: note: the other 'M'
package P
  model M
  end M;
end P;
package Q extends P;
  model M
  end M;
end Q;
