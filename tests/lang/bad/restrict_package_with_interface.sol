//! 3:1: error: a package has no interface
package P
interface:
  Real x;
end P;
