//! 10:16: error: 'Basic' has no definition 'Resisto'; did you mean 'Resistor'?
//! 13:11: error: no member 'voltege' in 'Basic.Resistor'; did you mean 'voltage'?
//! 14:3: error: unknown name 'curent'; did you mean 'current'?
//! 15:13: error: unknown name 'sine'; did you mean 'sin'?
package Basic
  model Resistor interface: static Real voltage; static Real a; static Real b; static Real c; static Real d; static Real e; end Resistor;
end Basic;
model M
interface:
  static Basic.Resisto wrong;
  static Basic.Resistor R;
implementation:
  0 = R.  voltege;
  curent = 1;
  current = sine(time);
  static Real current;
end M;
