//! 2:7: error: 'Real' is a predefined type
model Real
end Real;
