//! mode: instantiate
//! 9:13: error: the condition of an 'if' depends on the content of its own branch
//! 9:3: note: transmission 'n << (if n < 1 ..)'
//! 9:22: note: transmission '(if n < 1 ..) << 2'
model A
interface:
  static Integer n;
implementation:
  n << if n < 1 then 2 else 0;
end A;
