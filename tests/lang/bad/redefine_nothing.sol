//! 3:18: error: 'M' redefines nothing: no such definition is inherited
package P
  redefine model M
  end M;
end P;
