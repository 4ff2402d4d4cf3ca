package Beside
  define hidden as 1;
end Beside;
