//! 4:19: error: 'k' is a constant and cannot be extended
package P
  define k as 1;
  model M extends k;
  end M;
end P;
