package Broken
  define k as ;
end Broken;
