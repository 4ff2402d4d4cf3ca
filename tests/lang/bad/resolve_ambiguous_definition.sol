//! 4:9: error: 'M' is already defined
//! 6:10: note: the other 'M'
package P
  model M
  end M;
  define M as 1;
end P;
