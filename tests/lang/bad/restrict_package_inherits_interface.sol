//! 6:19: error: a package has no interface, but inherits one
model M
interface:
  Real x;
end M;
package P extends M;
end P;
