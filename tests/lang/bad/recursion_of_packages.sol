//! 14:21: error: 'Y' cannot extend 'P', which contains it
//! 6:11: note: in the text that 'P.X' inherits
//! 6:21: error: 'X' cannot extend 'Q', which contains it
//! 14:11: note: in the text that 'Q.Y' inherits
package P
  package X extends Q;
  end X;
  model M
  implementation:
    X.M m;
  end M;
end P;
package Q
  package Y extends P;
  end Y;
  model M
  implementation:
    Y.M m;
  end M;
end Q;
