package More
  define k as 5;
end More;
