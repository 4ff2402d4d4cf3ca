// What an heir redefines may be redefined by its own heir; each extends what it replaces.
package P
  model A interface: static Real x; implementation: x = 1; end A;
  model B interface: static A a; end B;
end P;
package Q extends P;
  redefine model A extends A; interface: static Real y; implementation: y = x + 1; end A;
end Q;
package R extends Q;
  redefine model A extends A; interface: static Real z; implementation: z = y + 1; end A;
end R;
package S extends R;
  redefine model A extends A; interface: static Real u; implementation: u = z + 1; end A;
end S;
model M
implementation:
  static S.B s;
  static R.B r;
  static Q.B q;
  static Real sum;
  sum = s.a.u + r.a.z + q.a.y;
end M;
