//! 5:3: error: expected 'interface:', 'implementation:' or 'end P', found 'modle'
//! 9:9: error: expected an expression, found ';'
//! 12:7: error: 'C' without 'end C'
package P
  modle A
  end A;
  model B
  implementation:
    x = ;
  end B;
end P;
model C
