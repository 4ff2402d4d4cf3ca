//! 10:14: error: 'Q.Data' has no definition 'k'
//! 13:9: note: in the text that 'Q' inherits
package P
  package Data
    define k as 1;
  end Data;
  model M
  implementation:
    Real x;
    x = Data.k;
  end M;
end P;
package Q extends P;
  redefine package Data
  end Data;
end Q;
