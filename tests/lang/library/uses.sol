// Three packages that other files define: beside this one, in a folder of -L, in the standard
// library; and a package of that name here wins over the one in the file beside.
package Own
  define k as 1;
end Own;
model UsesBeside
implementation:
  Beside.Part part{m << Beside.mass};
  cout << Own.k;
end UsesBeside;
model UsesMore
implementation:
  Real x;
  x = More.k;
end UsesMore;
