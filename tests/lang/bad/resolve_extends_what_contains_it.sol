//! 3:19: error: 'M' cannot extend 'P', which contains it
package P
  model M extends P;
  end M;
end P;
