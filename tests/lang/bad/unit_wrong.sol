//! 13:31: error: 'Volt' is no unit: it is written "V"
//! 14:21: error: only Real, Integer, Boolean and String have attributes
//! 15:32: error: a unit is a constant text: unit << "m/s"
//! 15:44: error: 'time' is no constant
//! 19:36: error: only numbers have 'min'
//! 19:20: error: only numbers have 'unit'
//! 20:28: error: 'm/' is no unit: they are written like "m/s", "kg.m2", "kV", "W/(m2.K)"
//! 21:33: error: 'unit' is given twice
//! 21:53: error: 'max' is Boolean, but Real is needed
package P
  define Voltage as Real {unit << "V", start << pi, min << -1e3};
  define pi as 3.14159;
  define Bad as Real {unit << "Volt"};
  define Worse as P {unit << "V"};
  define Flow as Real {unit << 5, start << time};
  model A
  interface:
    static Voltage u;
    static Boolean b {unit << "m", min << 1};
    static Real x {unit << "m/"};
    static Real y {unit << "m", unit << "s", max << true};
  implementation:
    u = 1; b << true; x = 1; y = 1;
  end A;
end P;
