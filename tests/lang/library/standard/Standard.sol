package Standard
  define g as 9.81;
end Standard;
