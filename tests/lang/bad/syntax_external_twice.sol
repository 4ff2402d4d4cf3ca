//! 3:55: error: 'derivative' is given twice
model Hypotenuse
  external "libm.so.6" "hypot" derivative "one_hypot" derivative "two_hypot";
interface:
  in Real a;
  in Real b;
  out Real y;
end Hypotenuse;
