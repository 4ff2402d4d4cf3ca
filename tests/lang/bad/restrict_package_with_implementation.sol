//! 3:1: error: a package has no implementation
package P
implementation:
end P;
