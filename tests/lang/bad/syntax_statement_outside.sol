//! 3:3: error: declarations stand behind 'interface:' (what others see) or 'implementation:', found 'Real'
model A
  Real x;
end A;
