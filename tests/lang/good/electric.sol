// Analog circuits: pins, sources, basic components, ideal switches, and a half-wave rectifier
// that is fed through an inductance.
package Electric
  define pi as 3.14159265358979;

  package Interfaces
    connector Pin
    interface:
      potential Real v;
      flow Real i;
    end Pin;

    partial model OnePin
    interface:
      Pin p;
    end OnePin;

    partial model TwoPins
    interface:
      Pin p;
      Pin n;
    implementation:
      Real u;
      Real i;
      u = p.v - n.v;
      i = p.i;
      p.i + n.i = 0;
    end TwoPins;
  end Interfaces;

  package Sources
    model Ground extends Interfaces.OnePin;
    implementation:
      p.v = 0;
    end Ground;

    model Constant extends Interfaces.TwoPins;
    interface:
      parameter Real level << 1.0;
    implementation:
      u = level;
    end Constant;

    model Sine extends Interfaces.TwoPins;
      define turn as 2*pi;
    interface:
      parameter Real amplitude;
      parameter Real frequency;
      parameter Real phase << 0.0;
    implementation:
      u = amplitude*sin(turn*frequency*time + phase);
    end Sine;

    model Ramp extends Interfaces.TwoPins;
    interface:
      parameter Real level;
      parameter Real duration;
    implementation:
      if time < duration then
        u = level*time/duration;
      else then
        u = level;
      end if;
    end Ramp;

    model ConstantCurrent extends Interfaces.TwoPins;
    interface:
      parameter Real level;
    implementation:
      i = level;
    end ConstantCurrent;

    model SineCurrent extends Interfaces.TwoPins;
    interface:
      parameter Real amplitude;
      parameter Real frequency;
      parameter Real phase << 0.0;
    implementation:
      i = amplitude*sin(2*pi*frequency*time + phase);
    end SineCurrent;
  end Sources;

  package Basic
    model Resistor extends Interfaces.TwoPins;
    interface:
      parameter Real R;
    implementation:
      u = R*i;
    end Resistor;

    model Capacitor extends Interfaces.TwoPins;
    interface:
      parameter Real C;
    implementation:
      C*der(u) = i;
    end Capacitor;

    model Inductor extends Interfaces.TwoPins;
    interface:
      parameter Real L;
    implementation:
      L*der(i) = u;
    end Inductor;
  end Basic;

  package Switching
    model Switch extends Interfaces.TwoPins;
    interface:
      Boolean closed;
    implementation:
      if closed then
        u = 0;
      else then
        i = 0;
      end if;
    end Switch;

    /* An ideal diode: conducts when the voltage turns positive, blocks when the current turns
       negative. */
    model Diode extends Interfaces.TwoPins;
    interface:
      parameter Boolean conductsFirst << false;
    implementation:
      Boolean conducting;
      if conducting then
        u = 0;
      else then
        i = 0;
      end if;
      if initial() then
        conducting << conductsFirst;
      else then
        when i < 0 then
          conducting << false;
        else when u > 0 then
          conducting << true;
        end when;
      end if;
    end Diode;
  end Switching;

  package Examples
    model Rectifier
    implementation:
      Sources.Ground ground;
      Sources.Sine source{amplitude << 1, frequency << 50};
      Basic.Inductor line{L << 0.2};
      Basic.Resistor inner{R << 10};
      Switching.Diode diode;
      Basic.Capacitor store{C << 1e-3};
      Basic.Resistor load{R << 50};
      connection{a << ground.p, b << source.n};
      connection{a << ground.p, b << store.n};
      connection{a << ground.p, b << load.n};
      connection{a << store.p, b << load.p};
      connection{a << store.p, b << diode.n};
      connection{a << inner.p, b << diode.p};
      connection{a << source.p, b << line.n};
      connection{a << line.p, b << inner.n};
    end Rectifier;
  end Examples;
end Electric;
