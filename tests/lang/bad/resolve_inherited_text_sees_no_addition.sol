//! 6:9: error: unknown name 'k'
package P
  model M
  implementation:
    Real x;
    x = k;
  end M;
end P;
package Q extends P;
  define k as 1;
  model N extends M;
  end N;
end Q;
