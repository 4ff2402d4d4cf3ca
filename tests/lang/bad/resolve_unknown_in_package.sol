//! 8:5: error: 'P' has no definition 'N'; there is 'M'
package P
  model M
  end M;
end P;
model A
implementation:
  P.N n;
end A;
