//! mode: instantiate
//! 9:12: error: the condition of an 'if' depends on the content of its own branch
//! 9:3: note: equation 'x = (if x < 1 ..)'
//! 9:21: note: transmission '(if x < 1 ..) << 2'
model A
interface:
  static Real x;
implementation:
  x = if x < 1 then 2 else 0;
end A;
