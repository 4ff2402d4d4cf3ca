//! 19:1: error: a type is written 'define Voltage as Real {unit << "V"};', in a model or package
//! 22:3: error: a constant is written 'define NAME as VALUE;', in front of 'interface:'
//! 23:3: error: Sol has no 'final'
//! 24:3: error: 'discrete' is left out: what '<<' gives a value keeps it
//! 25:3: error: 'input' is written 'in'
//! 26:3: error: 'output' is written 'out'
//! 27:3: error: Sol has no annotations; a comment begins with '//'
//! 28:9: error: expected ';' after the declaration; one name stands in a declaration, one relation in a statement
//! 29:9: error: expected ';' after the declaration; what is told to the reader stands in a comment, behind '//'
//! 31:3: error: 'protected' is left out: what the implementation declares is private
//! 32:12: error: expected an expression, found '*'; a power is written 'x^2'
//! 33:9: error: unexpected character '!': 'not' is written 'not', 'not equal' '<>'
//! 34:4: error: unexpected character ''': a derivative is written 'der(x)', a text "text"
//! 35:7: error: an array is written '{1, 2, 3}'
//! 36:3: error: initial equations are written 'if initial() then ... end;'
//! 40:1: error: 'class' is written 'model'
//! 44:1: error: 'within' is left out: a file is found by the name of what it defines
// Words of other languages, each with how Sol writes it.
type Voltage = Real(unit = "V");
model A
interface:
  constant Real c = 3;
  final parameter Real k << 3;
  discrete Real d;
  input Real u;
  output Real y;
  annotation(icon);
  Real a, b;
  Real e "energy";
implementation:
  protected Real q;
  a = 3*(2**e);
  d = 2 != 3;
  a' = 3;
  a = [1, 2];
  initial equation
  a = 0;
end A;

class B
Real x;
end B;
model C end C;
within D;
