//! 3:9: error: a connector has no sub-definitions
connector C
  model M
  end M;
end C;
