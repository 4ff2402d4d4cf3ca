//! 5:15: error: the size of an array stands behind its name: 'Real T[10]'
//! 6:8: error: the size of an array stands behind its name: 'Real T[10]'
model B
implementation:
  static Real[10] v;
  Real[3] w;
end B;
