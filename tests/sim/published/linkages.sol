// Linkages whose motion is published.

// The squeezing mechanism of the test sets for differential-algebraic equations: seven bodies, one degree of
// freedom, index 3. A motor turns the crank (beta) and, by the coupler (beta + theta), moves a point (px, py) at
// which three pairs of rods meet: gamma, which a spring pulls; phi on delta; omega on epsilon. Crank and coupler
// turn two and a half times in 0.03 seconds and pass dead points of all the others.
model SqueezingMechanism
  define crank as 0.007;
  define coupler as 0.028;
  define cg as 0.0115;           // centre of the coupler, from the crank's pin
  define arm as 0.035;
  define sx as 0.02;             // where the spring pulls at the arm
  define sy as 0.018;
  define rod as 0.02;            // both of the folding rods
  define rod_c as 0.00579;       // from the joint to the centre
  define lever as 0.04;
  define i_rod as 5.667e-7;
  define m_rod as 0.00706;
  define ax as -0.06934;         // where the levers turn
  define ay as -0.00227;
  define bx as -0.03635;         // where the arm turns
  define by as 0.03273;
  define spring as 4530;
  define rest as 0.07785;
interface:
  static Real beta; static Real theta; static Real gamma; static Real phi;
  static Real delta; static Real omega; static Real epsilon;
implementation:
  static Real vb; static Real vt; static Real vg; static Real vf; static Real vd; static Real vo; static Real ve;
  static Real zb; static Real zt; static Real zg; static Real zf; static Real zd; static Real zo; static Real ze;
  vb = der(x = beta, start << -0.0617138900142764496);
  vt = der(x = theta, start << 0);
  vg = der(x = gamma, start << 0.455279819163070380);
  vf = der(x = phi, start << 0.222668390165885885);
  vd = der(x = delta, start << 0.487364979543842550);
  vo = der(x = omega, start << -0.222668390165885885);
  ve = der(x = epsilon, start << 1.230547444549821192);
  zb = der(x = vb, start << 0);
  zt = der(x = vt, start << 0);
  zg = der(x = vg, start << 0);
  zf = der(x = vf, start << 0);
  zd = der(x = vd, start << 0);
  zo = der(x = vo, start << 0);
  ze = der(x = ve, start << 0);

  // the point at which all meet, by each of the four ways
  static Real px; static Real py;
  px = crank*cos(beta) - coupler*cos(beta + theta);
  py = crank*sin(beta) - coupler*sin(beta + theta);
  px = bx + arm*sin(gamma);
  py = by - arm*cos(gamma);
  px = ax + rod*sin(phi + delta) + lever*cos(delta);
  py = ay - rod*cos(phi + delta) + lever*sin(delta);
  px = ax + rod*cos(omega + epsilon) + lever*sin(epsilon);
  py = ay + rod*sin(omega + epsilon) - lever*cos(epsilon);

  // the spring pulls the arm towards (0.014, 0.072)
  static Real ex; static Real ey; static Real long; static Real pull;
  ex = bx + sx*cos(gamma) + sy*sin(gamma) - 0.014;
  ey = by + sx*sin(gamma) - sy*cos(gamma) - 0.072;
  long = sqrt(ex^2 + ey^2);
  pull = spring*(long - rest)/long;

  // forces at the point, from the arm and the two pairs of rods
  static Real gx; static Real gy; static Real fx; static Real fy; static Real hx; static Real hy;
  static Real sum_x; static Real sum_y;
  sum_x = gx + fx + hx;
  sum_y = gy + fy + hy;

  static Real swing;             // of the coupler about the crank's pin
  swing = 0.00365*cg*(cg - crank*cos(theta)) + 4.410e-7;
  (0.04325*0.00092^2 + 0.00365*(crank^2 - 2*cg*crank*cos(theta) + cg^2) + 2.194e-6 + 4.410e-7)*zb + swing*zt
    = 0.033 - 0.00365*cg*crank*vt*(vt + 2*vb)*sin(theta)
      - (coupler*sin(beta + theta) - crank*sin(beta))*sum_x - (crank*cos(beta) - coupler*cos(beta + theta))*sum_y;
  swing*zb + (0.00365*cg^2 + 4.410e-7)*zt
    = 0.00365*cg*crank*vb^2*sin(theta) - coupler*sin(beta + theta)*sum_x + coupler*cos(beta + theta)*sum_y;
  (0.02373*(0.01874^2 + 0.01043^2) + 5.255e-6)*zg
    = -pull*(ex*(sy*cos(gamma) - sx*sin(gamma)) + ey*(sx*cos(gamma) + sy*sin(gamma)))
      + arm*cos(gamma)*gx + arm*sin(gamma)*gy;

  static Real bend_f; static Real bend_h; // how a rod's turning moves its lever
  bend_f = m_rod*(rod_c^2 + lever*rod_c*sin(phi)) + i_rod;
  bend_h = m_rod*(rod_c^2 - lever*rod_c*sin(omega)) + i_rod;
  (m_rod*rod_c^2 + i_rod)*zf + bend_f*zd
    = m_rod*lever*rod_c*vd^2*cos(phi) + rod*cos(phi + delta)*fx + rod*sin(phi + delta)*fy;
  bend_f*zf + (m_rod*(lever^2 + 2*lever*rod_c*sin(phi) + rod_c^2) + 0.07050*(0.02308^2 + 0.00916^2) + i_rod + 1.169e-5)*zd
    = -m_rod*lever*rod_c*vf*(vf + 2*vd)*cos(phi)
      + (rod*cos(phi + delta) - lever*sin(delta))*fx + (rod*sin(phi + delta) + lever*cos(delta))*fy;
  (m_rod*rod_c^2 + i_rod)*zo + bend_h*ze
    = -m_rod*lever*rod_c*ve^2*cos(omega) - rod*sin(omega + epsilon)*hx + rod*cos(omega + epsilon)*hy;
  bend_h*zo + (m_rod*(rod_c^2 - 2*lever*rod_c*sin(omega) + lever^2) + 0.05498*(0.01228^2 + 0.00449^2) + i_rod + 1.912e-5)*ze
    = m_rod*lever*rod_c*vo*(vo + 2*ve)*cos(omega)
      - (rod*sin(omega + epsilon) - lever*cos(epsilon))*hx + (rod*cos(omega + epsilon) + lever*sin(epsilon))*hy;
end SqueezingMechanism;
