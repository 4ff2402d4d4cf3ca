// Planar mechanics whose connectors carry forces and, for collisions, impulses as well; and a
// trebuchet built from it: an arm on a pivot, a counterweight on a hinge with a stop, a
// projectile on a rope that tightens, pulls, and lets go.
package Drawing
  partial model Shape
  interface:
    in Real x1;
    in Real y1;
    in Real x2;
    in Real y2;
  end Shape;
  model Line extends Shape;
  end Line;
  model Box extends Shape;
  end Box;
  model Disc extends Shape;
  end Disc;
end Drawing;

package Planar
  define g as 9.81;

  package Interfaces
    connector Frame
    interface:
      potential Real x;
      potential Real y;
      potential Real phi;
      flow Real fx;
      flow Real fy;
      flow Real t;
    end Frame;

    // Mean velocities and impulses of a collision; contact signals travel beside them.
    connector ImpulseFrame extends Frame;
    interface:
      Boolean hitIn;
      Boolean hitOut;
      potential Real Vx;
      potential Real Vy;
      potential Real W;
      flow Real Px;
      flow Real Py;
      flow Real M;
    end ImpulseFrame;

    partial model OneFrame
    interface:
      ImpulseFrame fa;
    end OneFrame;

    partial model TwoFrames
    interface:
      ImpulseFrame fa;
      ImpulseFrame fb;
    end TwoFrames;
  end Interfaces;

  package Parts
    partial model Massive extends Interfaces.OneFrame;
    interface:
      parameter Real m;
      parameter Real I;
    implementation:
      Real vx; Real vy; Real w;
      Real ax; Real ay; Real z;
      Real vxBefore; Real vyBefore; Real wBefore;
      fa.fx = m*ax;
      fa.fy = m*(ay + g);
      fa.t = I*z;
      fa.Px = 2*m*(fa.Vx - vxBefore);
      fa.Py = 2*m*(fa.Vy - vyBefore);
      fa.M = 2*I*(fa.W - wBefore);
      fa.hitOut << false;
      Drawing.Disc(x1 << fa.x - 0.15, y1 << fa.y - 0.15, x2 << fa.x + 0.15, y2 << fa.y + 0.15);
    end Massive;

    // Its position and velocity are states.
    model Body extends Massive;
    implementation:
      Real vxAfter; Real vyAfter; Real wAfter;
      vx = derState(x = fa.x, start << 0);
      vy = derState(x = fa.y, start << 0);
      w = derState(x = fa.phi, start << 0);
      if initial() then
        vxAfter << 0;
        vyAfter << 0;
        wAfter << 0;
      end;
      when fa.hitIn then
        vx = 2*fa.Vx - vxBefore;
        vy = 2*fa.Vy - vyBefore;
        w = 2*fa.W - wBefore;
        vxAfter << vx;
        vyAfter << vy;
        wAfter << w;
      else then
        ax = derState(x = vx, start << vxAfter);
        ay = derState(x = vy, start << vyAfter);
        z = derState(x = w, start << wAfter);
        vxBefore << vx;
        vyBefore << vy;
        wBefore << w;
      end;
    end Body;

    // Others determine how it moves.
    model PassiveBody extends Massive;
    implementation:
      vx = der(fa.x);
      vy = der(fa.y);
      w = der(fa.phi);
      when fa.hitIn then
      else then
        ax = der(vx);
        ay = der(vy);
        z = der(w);
        vxBefore << vx;
        vyBefore << vy;
        wBefore << w;
      end;
    end PassiveBody;

    // At rest until its rope is taut (0), swinging on the rope (1), flying (2).
    model RopedBody extends Interfaces.OneFrame;
    interface:
      parameter Real m;
      parameter Real I;
      parameter Real rope;
      parameter Real releaseAngle;
      parameter Real x0;
      parameter Real y0;
    implementation:
      Integer phase;
      Boolean pulls;
      Boolean flies;
      Real vxBefore; Real vyBefore; Real wBefore;
      Real xLast; Real yLast; Real phiLast;
      Real dx; Real dy;
      if initial() then
        phase << 0;
        pulls << false;
        dx << 0;
        dy << -6;
        phiLast << 0;
        xLast << x0;
        yLast << y0;
      end;
      when pulls then
        phase << 1;
      end;
      when flies then
        phase << 2;
      end;
      if phase == 0 then
        Real rx; Real ry; Real r2;
        fa.fx = 0;
        fa.fy = 0;
        fa.t = 0;
        fa.M = 0;
        rx = x0 - fa.x;
        ry = y0 - fa.y;
        r2 = rx^2 + ry^2;
        fa.hitOut << r2 >= rope^2;
        when fa.hitOut then
          Real along;
          pulls << true;
          dx << rx;
          dy << ry;
          along = dx*vxBefore + dy*vyBefore;
          fa.Px*dy - fa.Py*dx = 0;
          fa.Px*dx + fa.Py*dy = m*along;
        else then
          Real vx; Real vy;
          fa.Px = 0;
          fa.Py = 0;
          vx = der(fa.x);
          vy = der(fa.y);
          vxBefore << vx;
          vyBefore << vy;
          wBefore << 0;
        end;
        Drawing.Disc(x1 << x0 - 0.15, y1 << y0 - 0.15, x2 << x0 + 0.15, y2 << y0 + 0.15);
        Drawing.Line(x1 << fa.x, y1 << fa.y, x2 << x0, y2 << y0);
      else if phase == 1 then
        Real phi; Real w; Real z;
        Real vx; Real vy; Real ax; Real ay;
        Real lx; Real ly;
        vx = der(fa.x);
        vy = der(fa.y);
        ax = der(vx);
        ay = der(vy);
        w = derState(x = phi, start << 0);
        z = derState(x = w, start << 0);
        lx = cos(phi)*dx + sin(phi)*dy;
        ly = -sin(phi)*dx + cos(phi)*dy;
        fa.t = 0;
        fa.fx = -m*ax;
        fa.fy = -m*(ay + g);
        (I + m*rope^2)*z = ly*fa.fx - lx*fa.fy;
        tearing(x = z);
        fa.M = 0;
        fa.Px = 0;
        fa.Py = 0;
        wBefore << w;
        vxBefore << vx + ly*w;
        vyBefore << vy - lx*w;
        phiLast << phi;
        xLast << fa.x + lx;
        yLast << fa.y + ly;
        fa.hitOut << false;
        when phi > releaseAngle then
          flies << true;
        end;
        Drawing.Disc(x1 << xLast - 0.15, y1 << yLast - 0.15,
                     x2 << xLast + 0.15, y2 << yLast + 0.15);
        Drawing.Line(x1 << fa.x, y1 << fa.y, x2 << xLast, y2 << yLast);
      else then
        Real px; Real py; Real phi;
        Real vx; Real vy; Real w; Real ay;
        fa.fx = 0;
        fa.fy = 0;
        fa.t = 0;
        fa.Px = 0;
        fa.Py = 0;
        fa.M = 0;
        vx = derState(x = px, start << xLast);
        vy = derState(x = py, start << yLast);
        w = derState(x = phi, start << phiLast);
        vx = vxBefore;
        w = wBefore;
        ay = derState(x = vy, start << vyBefore);
        ay << -g;
        Drawing.Disc(x1 << px - 0.15, y1 << py - 0.15, x2 << px + 0.15, y2 << py + 0.15);
      end;
    end RopedBody;

    model Rod extends Interfaces.TwoFrames;
    interface:
      parameter Real sx;
      parameter Real sy;
    implementation:
      Real lx; Real ly;
      lx = cos(fa.phi)*sx + sin(fa.phi)*sy;
      ly = -sin(fa.phi)*sx + cos(fa.phi)*sy;
      fb.x = fa.x + lx;
      fb.y = fa.y + ly;
      fb.phi = fa.phi;
      fa.fx + fb.fx = 0;
      fa.fy + fb.fy = 0;
      fa.t + fb.t = lx*fb.fy - ly*fb.fx;
      fb.Vx = fa.Vx + ly*fa.W;
      fb.Vy = fa.Vy - lx*fa.W;
      fb.W = fa.W;
      fa.Px + fb.Px = 0;
      fa.Py + fb.Py = 0;
      fa.M + fb.M = lx*fb.Py - ly*fb.Px;
      fa.hitOut << fb.hitIn;
      fb.hitOut << fa.hitIn;
      Drawing.Line(x1 << fa.x, y1 << fa.y, x2 << fb.x, y2 << fb.y);
    end Rod;
  end Parts;

  package Joints
    model Anchor extends Interfaces.OneFrame;
    implementation:
      fa.x = 0;
      fa.y = 1;
      fa.phi = 0;
      fa.Vx = 0;
      fa.Vy = 0;
      fa.W = 0;
      fa.hitOut << false;
    end Anchor;

    // What a hinge and a hinge with a stop have in common.
    partial model Pivot extends Interfaces.TwoFrames;
    interface:
      parameter Real phi0;
      parameter Real w0;
    implementation:
      Real phi;
      Real Wr;
      fb.phi = fa.phi + phi;
      fb.W = fa.W + Wr;
      fa.x = fb.x;
      fa.y = fb.y;
      fa.fx + fb.fx = 0;
      fa.fy + fb.fy = 0;
      fa.Vx = fb.Vx;
      fa.Vy = fb.Vy;
      fa.Px + fb.Px = 0;
      fa.Py + fb.Py = 0;
      Drawing.Box(x1 << fa.x - 0.1, y1 << fa.y - 0.1, x2 << fa.x + 0.1, y2 << fa.y + 0.1);
    end Pivot;

    model Hinge extends Pivot;
    implementation:
      Real w; Real z;
      Real wBefore; Real wAfter;
      if initial() then
        wAfter << w0;
      end;
      w = derState(x = phi, start << phi0);
      when fa.hitIn or fb.hitIn then
        w = 2*Wr - wBefore;
        wAfter << w;
        tearing(x = Wr);
      else then
        z = derState(x = w, start << wAfter);
        tearing(x = z);
        tearing(x = Wr);
        wBefore << w;
      end;
      fa.t = 0;
      fb.t = 0;
      fa.M = 0;
      fb.M = 0;
      fa.hitOut << fb.hitIn;
      fb.hitOut << fa.hitIn;
    end Hinge;

    model StoppedHinge extends Pivot;
    interface:
      parameter Real stop;
    implementation:
      Boolean touches;
      Boolean stuck;
      Boolean sticks;
      Boolean loosens;
      Real phiBefore;
      if initial() then
        stuck << false;
        sticks << false;
        loosens << false;
        phiBefore << phi0;
      end;
      when sticks then
        loosens << false;
        stuck << true;
      end;
      when loosens then
        sticks << false;
        stuck << false;
      end;
      if stuck then
        phi = stop;
        Wr = 0;
        touches << false;
        when fa.t < 0 then
          loosens << true;
          phiBefore << stop;
        end;
      else then
        Real w; Real z;
        Real wBefore; Real wAfter;
        touches << (phi < stop);
        if initial() then
          wAfter << w0;
        end;
        w = derState(x = phi, start << phiBefore);
        when touches then
          w = 0;
          Wr = 0.5*wBefore;
          wAfter << w;
          sticks << true;
          tearing(x = fb.M);
        else then
          when fa.hitIn or fb.hitIn then
            w = 2*Wr - wBefore;
            wAfter << w;
            tearing(x = Wr);
          else then
            z = derState(x = w, start << wAfter);
            tearing(x = z);
            tearing(x = Wr);
            wBefore << w;
          end;
          fb.M = 0;
        end;
        fb.t = 0;
      end;
      fa.t + fb.t = 0;
      fa.M + fb.M = 0;
      fa.hitOut << touches or fb.hitIn;
      fb.hitOut << touches or fa.hitIn;
    end StoppedHinge;

    model Slider extends Interfaces.TwoFrames;
    interface:
      parameter Real sx;
      parameter Real sy;
      parameter Real s0;
      parameter Real v0;
    implementation:
      Real s; Real v; Real a;
      Real V; Real vBefore; Real vAfter;
      Real lx; Real ly;
      if initial() then
        vAfter << v0;
      end;
      v = derState(x = s, start << s0);
      when fa.hitIn or fb.hitIn then
        v = 2*V - vBefore;
        vAfter << v;
        tearing(x = V);
      else then
        a = derState(x = v, start << vAfter);
        tearing(x = a);
        vBefore << v;
      end;
      lx = cos(fa.phi)*sx + sin(fa.phi)*sy;
      ly = -sin(fa.phi)*sx + cos(fa.phi)*sy;
      fb.x = fa.x + s*lx;
      fb.y = fa.y + s*ly;
      fb.phi = fa.phi;
      fa.fx + fb.fx = 0;
      fa.fy + fb.fy = 0;
      lx*fb.fx + ly*fb.fy = 0;
      fa.t + fb.t = s*(lx*fb.fy - ly*fb.fx);
      lx*fb.Px + ly*fb.Py = 0;
      fa.Px + fb.Px = 0;
      fa.Py + fb.Py = 0;
      fa.M + fb.M = lx*fb.Py - ly*fb.Px;
      fb.W = fa.W;
      fb.Vx = fa.Vx + s*ly*fa.W + lx*V;
      fb.Vy = fa.Vy - s*lx*fa.W + ly*V;
      fa.hitOut << fb.hitIn;
      fb.hitOut << fa.hitIn;
      Drawing.Line(x1 << fa.x, y1 << fa.y, x2 << fb.x, y2 << fb.y);
    end Slider;
  end Joints;
end Planar;

model Trebuchet
  define Parts as Planar.Parts;
  define Planar.Joints as Joints;
implementation:
  Joints.Anchor anchor;
  Parts.Rod tower{sx << 0.0, sy << 8.0};
  Joints.Hinge pivot{phi0 << -1.1, w0 << 0};
  Parts.Rod shortArm{sx << 2.5, sy << 0.0};
  Parts.Rod longArm{sx << -10.0, sy << 0.0};
  Parts.PassiveBody tip{m << 100.0, I << 10.0};
  Joints.StoppedHinge hinge{phi0 << 0.0, w0 << 0, stop = -3.8};
  Parts.Rod hanger{sx << -2.0, sy << -1.5};
  Parts.PassiveBody weight{m << 10000.0, I << 12000.0};
  Parts.RopedBody stone{m << 30.0, I << 2.0, x0 << -1.0, y0 << 0.0, rope << 7.0,
                        releaseAngle << 3.6};

  connection{a << anchor.fa, b << tower.fa};
  anchor.fa.hitIn << tower.fa.hitOut;
  tower.fa.hitIn << false;

  connection{a << tower.fb, b << pivot.fa};
  tower.fb.hitIn << pivot.fa.hitOut;
  pivot.fa.hitIn << false;

  connection{a << shortArm.fa, b << pivot.fb};
  connection{a << longArm.fa, b << pivot.fb};
  shortArm.fa.hitIn << longArm.fa.hitOut;
  longArm.fa.hitIn << shortArm.fa.hitOut;
  pivot.fb.hitIn << longArm.fa.hitOut or shortArm.fa.hitOut;

  connection{a << longArm.fb, b << tip.fa};
  connection{a << longArm.fb, b << stone.fa};
  longArm.fb.hitIn << stone.fa.hitOut;
  tip.fa.hitIn << stone.fa.hitOut or longArm.fb.hitOut;
  stone.fa.hitIn << longArm.fb.hitOut or tip.fa.hitOut;

  connection{a << shortArm.fb, b << hinge.fa};
  shortArm.fb.hitIn << hinge.fa.hitOut;
  hinge.fa.hitIn << shortArm.fb.hitOut;

  connection{a << hanger.fa, b << hinge.fb};
  hanger.fa.hitIn << hinge.fb.hitOut;
  hinge.fb.hitIn << hanger.fa.hitOut;

  connection{a << hanger.fb, b << weight.fa};
  hanger.fb.hitIn << weight.fa.hitOut;
  weight.fa.hitIn << hanger.fb.hitOut;
end Trebuchet;
