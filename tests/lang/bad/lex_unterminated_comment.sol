//! 4:1: error: comment without end
model A
end A;
/* this comment
   never ends
