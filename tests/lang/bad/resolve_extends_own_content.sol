//! 2:21: error: circular: 'P' is needed to define itself
package P extends P.Q;
  package Q
  end Q;
end P;
