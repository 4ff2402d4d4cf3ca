//! 6:3: error: 'if' without 'end'
//! 6:20: error: definitions belong before 'interface' and 'implementation'
//! 6:25: error: expected a name for the definition, found ';'
model A
implementation:
  if time > 1 then model; end;
end A;
