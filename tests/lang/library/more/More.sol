package More
  define k as 41;
end More;
