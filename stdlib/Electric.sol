/* Electric: circuits of lumped components.

   Conventions of the whole package
   - A pin has a potential u [V] against the common reference and a current i [A] that counts
     positive where it flows from the outside into the component.
   - A component with two pins has u = p.u - n.u, and its i flows in at p and out at n. Then u*i is
     the power that the component takes up.
   - A Ground is the reference of the potentials in its part of the circuit. A part without one works
     all the same: one of its pins is set to 0, and told. Two grounds at one node are one too many.
   - Times in s, frequencies in Hz, angles in rad. */
package Electric
    define pi as 3.141592653589793;

    package Interfaces

        /* A point where wires meet: u [V], i [A] into the component. */
        connector Pin
        interface:
            static potential Real u {unit << "V"};
            static flow Real i {unit << "A"};
        end Pin;

        partial model OnePin
        interface:
            static Pin p;
        end OnePin;

        /* What flows in at p flows out at n: u = p.u - n.u, i = p.i, p.i + n.i = 0. */
        partial model TwoPins
        interface:
            static Pin p;
            static Pin n;
            static Real u {unit << "V"};
            static Real i {unit << "A"};
        implementation:
            u = p.u - n.u;
            i = p.i;
            p.i + n.i = 0;
        end TwoPins;

        /* Two pairs of pins, each pair with its own voltage and current:
           u1 = p1.u - n1.u, i1 = p1.i = -n1.i, and the same with 2. */
        partial model TwoPorts
        interface:
            static Pin p1;
            static Pin n1;
            static Pin p2;
            static Pin n2;
            static Real u1 {unit << "V"};
            static Real i1 {unit << "A"};
            static Real u2 {unit << "V"};
            static Real i2 {unit << "A"};
        implementation:
            u1 = p1.u - n1.u;
            i1 = p1.i;
            p1.i + n1.i = 0;
            u2 = p2.u - n2.u;
            i2 = p2.i;
            p2.i + n2.i = 0;
        end TwoPorts;
    end Interfaces;

    /* Waveforms as numbers over time; the sources of voltage and of current are built on them.
       Jumps and corners lie on time events, so that no integration step goes across one. */
    package Waveforms

        /* y = offset + amplitude*sin(2*pi*f*time + phase); f [Hz], phase [rad]. */
        model Sine
        interface:
            parameter Real amplitude << 1;
            parameter Real f {unit << "Hz"} << 50;
            parameter Real phase {unit << "rad"} << 0;
            parameter Real offset << 0;
            static out Real y;
        implementation:
            assert(condition = f >= 0, message = "the frequency f must not be negative");
            y = offset + amplitude*sin(2*pi*f*time + phase);
        end Sine;

        /* y = before up to time T [s], then y = after. */
        model Step
        interface:
            parameter Real before << 0;
            parameter Real after << 1;
            parameter Real T {unit << "s"} << 0;
            static out Real y;
        implementation:
            if time < T then
                y = before;
            else then
                y = after;
            end if;
        end Step;

        /* y = first up to time T, then straight to last within the given duration [s]. */
        model Ramp
        interface:
            parameter Real first << 0;
            parameter Real last << 1;
            parameter Real T {unit << "s"} << 0;
            parameter Real duration {unit << "s"} << 1;
            static out Real y;
        implementation:
            assert(condition = duration > 0, message = "the duration must be positive");
            if time < T then
                y = first;
            else if time < T + duration then
                y = first + (last - first)*(time - T)/duration;
            else then
                y = last;
            end if;
        end Ramp;

        /* y alternates: from time T on it is high for the part width (between 0 and 1, both
           excluded) of every period [s], else low. The n-th period starts at T + n*period, computed
           as a product, so that rounding does not add up. */
        model Pulse
        interface:
            parameter Real low << 0;
            parameter Real high << 1;
            parameter Real period {unit << "s"} << 1;
            parameter Real width << 0.5;
            parameter Real T {unit << "s"} << 0;
            static out Real y;
        implementation:
            assert(condition = period > 0, message = "the period must be positive");
            assert(condition = width > 0 and width < 1,
                   message = "the width must lie between 0 and 1");
            static Integer rises;
            static Integer falls;
            static Real rise;
            static Real fall;
            static Real level;
            y = level;
            if initial() then
                rise << T;
                fall << T + width*period;
                level << low;
            else then
                when time >= rise then
                    level << high;
                    rises << pre(rises) + 1;
                    rise << T + (pre(rises) + 1)*period;
                end when;
                when time >= fall then
                    level << low;
                    falls << pre(falls) + 1;
                    fall << T + (pre(falls) + 1 + width)*period;
                end when;
            end if;
        end Pulse;
    end Waveforms;

    package Sources

        /* The reference: p.u = 0. It takes whatever current arrives. */
        model Ground
            extends Interfaces.OnePin;
        implementation:
            p.u = 0;
        end Ground;

        /* u = U [V] at any current. */
        model ConstantVoltage
            extends Interfaces.TwoPins;
        interface:
            parameter Real U {unit << "V"} << 1;
        implementation:
            u = U;
        end ConstantVoltage;

        /* u = offset + U*sin(2*pi*f*time + phase); U and offset [V], f [Hz], phase [rad]. */
        model SineVoltage
            extends Interfaces.TwoPins;
        interface:
            parameter Real U {unit << "V"} << 1;
            parameter Real f {unit << "Hz"} << 50;
            parameter Real phase {unit << "rad"} << 0;
            parameter Real offset << 0;
        implementation:
            u = Waveforms.Sine{amplitude << U, f << f, phase << phase, offset << offset}();
        end SineVoltage;

        /* u = U0 [V] before time T [s], U from then on. */
        model StepVoltage
            extends Interfaces.TwoPins;
        interface:
            parameter Real U {unit << "V"} << 1;
            parameter Real U0 {unit << "V"} << 0;
            parameter Real T {unit << "s"} << 0;
        implementation:
            u = Waveforms.Step{before << U0, after << U, T << T}();
        end StepVoltage;

        /* u goes from U0 to U [V] on a straight line that starts at T and takes duration [s]. */
        model RampVoltage
            extends Interfaces.TwoPins;
        interface:
            parameter Real U {unit << "V"} << 1;
            parameter Real U0 {unit << "V"} << 0;
            parameter Real T {unit << "s"} << 0;
            parameter Real duration {unit << "s"} << 1;
        implementation:
            u = Waveforms.Ramp{first << U0, last << U, T << T, duration << duration}();
        end RampVoltage;

        /* u is U [V] in the first part width of every period [s] after T, else U0. */
        model PulseVoltage
            extends Interfaces.TwoPins;
        interface:
            parameter Real U {unit << "V"} << 1;
            parameter Real U0 {unit << "V"} << 0;
            parameter Real period {unit << "s"} << 1;
            parameter Real width << 0.5;
            parameter Real T {unit << "s"} << 0;
        implementation:
            u = Waveforms.Pulse{low << U0, high << U, period << period, width << width, T << T}();
        end PulseVoltage;

        /* u = column of the file at the present time, interpolated; times in the first column. */
        model TableVoltage
            extends Interfaces.TwoPins;
        interface:
            parameter String file;
            parameter Integer column << 2;
        implementation:
            u = table(x = time, file = file, column = column);
        end TableVoltage;

        /* u = signal [V], a member that the model around sets. */
        model SignalVoltage
            extends Interfaces.TwoPins;
        interface:
            static Real signal;
        implementation:
            u = signal;
        end SignalVoltage;

        /* i = I [A] from p through the source to n, at any voltage. */
        model ConstantCurrent
            extends Interfaces.TwoPins;
        interface:
            parameter Real I {unit << "A"} << 1;
        implementation:
            i = I;
        end ConstantCurrent;

        /* i = offset + I*sin(2*pi*f*time + phase); I and offset [A], f [Hz], phase [rad]. */
        model SineCurrent
            extends Interfaces.TwoPins;
        interface:
            parameter Real I {unit << "A"} << 1;
            parameter Real f {unit << "Hz"} << 50;
            parameter Real phase {unit << "rad"} << 0;
            parameter Real offset << 0;
        implementation:
            i = Waveforms.Sine{amplitude << I, f << f, phase << phase, offset << offset}();
        end SineCurrent;

        /* i = I0 [A] before time T [s], I from then on. */
        model StepCurrent
            extends Interfaces.TwoPins;
        interface:
            parameter Real I {unit << "A"} << 1;
            parameter Real I0 {unit << "A"} << 0;
            parameter Real T {unit << "s"} << 0;
        implementation:
            i = Waveforms.Step{before << I0, after << I, T << T}();
        end StepCurrent;

        /* i goes from I0 to I [A] on a straight line that starts at T and takes duration [s]. */
        model RampCurrent
            extends Interfaces.TwoPins;
        interface:
            parameter Real I {unit << "A"} << 1;
            parameter Real I0 {unit << "A"} << 0;
            parameter Real T {unit << "s"} << 0;
            parameter Real duration {unit << "s"} << 1;
        implementation:
            i = Waveforms.Ramp{first << I0, last << I, T << T, duration << duration}();
        end RampCurrent;

        /* i is I [A] in the first part width of every period [s] after T, else I0. */
        model PulseCurrent
            extends Interfaces.TwoPins;
        interface:
            parameter Real I {unit << "A"} << 1;
            parameter Real I0 {unit << "A"} << 0;
            parameter Real period {unit << "s"} << 1;
            parameter Real width << 0.5;
            parameter Real T {unit << "s"} << 0;
        implementation:
            i = Waveforms.Pulse{low << I0, high << I, period << period, width << width, T << T}();
        end PulseCurrent;

        /* i = column of the file at the present time, interpolated; times in the first column. */
        model TableCurrent
            extends Interfaces.TwoPins;
        interface:
            parameter String file;
            parameter Integer column << 2;
        implementation:
            i = table(x = time, file = file, column = column);
        end TableCurrent;

        /* i = signal [A], a member that the model around sets. */
        model SignalCurrent
            extends Interfaces.TwoPins;
        interface:
            static Real signal;
        implementation:
            i = signal;
        end SignalCurrent;
    end Sources;

    /* Port 1 measures, port 2 delivers. */
    package Controlled

        /* u2 = gain*u1, i1 = 0. */
        model VoltageByVoltage
            extends Interfaces.TwoPorts;
        interface:
            parameter Real gain << 1;
        implementation:
            i1 = 0;
            u2 = gain*u1;
        end VoltageByVoltage;

        /* i2 = S*u1, i1 = 0; S [A/V]. */
        model CurrentByVoltage
            extends Interfaces.TwoPorts;
        interface:
            parameter Real S {unit << "S"} << 1;
        implementation:
            i1 = 0;
            i2 = S*u1;
        end CurrentByVoltage;

        /* u2 = R*i1, u1 = 0; R [V/A]. */
        model VoltageByCurrent
            extends Interfaces.TwoPorts;
        interface:
            parameter Real R {unit << "Ohm"} << 1;
        implementation:
            u1 = 0;
            u2 = R*i1;
        end VoltageByCurrent;

        /* i2 = gain*i1, u1 = 0. */
        model CurrentByCurrent
            extends Interfaces.TwoPorts;
        interface:
            parameter Real gain << 1;
        implementation:
            u1 = 0;
            i2 = gain*i1;
        end CurrentByCurrent;
    end Controlled;

    package Basic

        /* u = R*i; R [Ohm]. */
        model Resistor
            extends Interfaces.TwoPins;
        interface:
            parameter Real R {unit << "Ohm"} << 1;
        implementation:
            u = R*i;
        end Resistor;

        /* i = G*u; G [S]. */
        model Conductor
            extends Interfaces.TwoPins;
        interface:
            parameter Real G {unit << "S"} << 1;
        implementation:
            i = G*u;
        end Conductor;

        /* i = C*du/dt; C [F], voltage at the start u_start [V]. */
        model Capacitor
            extends Interfaces.TwoPins;
        interface:
            parameter Real C {unit << "F"} << 1;
            parameter Real u_start {unit << "V"} << 0;
        implementation:
            assert(condition = C > 0, message = "the capacitance C must be positive");
            i = C*der(x = u, start << u_start);
        end Capacitor;

        /* u = L*di/dt; L [H], current at the start i_start [A]. */
        model Inductor
            extends Interfaces.TwoPins;
        interface:
            parameter Real L {unit << "H"} << 1;
            parameter Real i_start {unit << "A"} << 0;
        implementation:
            assert(condition = L > 0, message = "the inductance L must be positive");
            u = L*der(x = i, start << i_start);
        end Inductor;

        /* Two coupled windings: u1 = L1*di1/dt + M*di2/dt, u2 = M*di1/dt + L2*di2/dt; L1, L2, M [H]
           with M^2 < L1*L2. */
        model Transformer
            extends Interfaces.TwoPorts;
        interface:
            parameter Real L1 {unit << "H"} << 1;
            parameter Real L2 {unit << "H"} << 1;
            parameter Real M {unit << "H"} << 0.9;
        implementation:
            assert(condition = L1 > 0 and L2 > 0,
                   message = "the inductances L1 and L2 must be positive");
            assert(condition = M*M < L1*L2,
                   message = "the mutual inductance M must be less than the root of L1*L2");
            static Real d1;
            static Real d2;
            d1 = der(x = i1, start << 0);
            d2 = der(x = i2, start << 0);
            u1 = L1*d1 + M*d2;
            u2 = M*d1 + L2*d2;
        end Transformer;

        /* u1 = ratio*u2, ratio*i1 + i2 = 0: no field energy, no loss. */
        model IdealTransformer
            extends Interfaces.TwoPorts;
        interface:
            parameter Real ratio << 1;
        implementation:
            assert(condition = ratio <> 0, message = "the ratio must not be zero");
            u1 = ratio*u2;
            ratio*i1 + i2 = 0;
        end IdealTransformer;

        /* Ideal operational amplifier: the inputs p (not inverting) and n (inverting) draw no
           current and have equal potentials; the output delivers what that takes, against ground.
           It works only where the circuit leads the output back to n. */
        model OperationalAmplifier
        interface:
            static Interfaces.Pin p;
            static Interfaces.Pin n;
            static Interfaces.Pin output;
        implementation:
            p.u = n.u;
            p.i = 0;
            n.i = 0;
        end OperationalAmplifier;
    end Basic;

    /* Components that begin in a steady state: what they store does not change at the start. Start values are first guesses. */
    package Steady

        /* A capacitor that begins without a current: du/dt = 0 at the start; u_start [V] is a first guess. */
        model Capacitor
            extends Basic.Capacitor;
        implementation:
            if initial() then
                der(x = u) = 0;
            end if;
        end Capacitor;

        /* An inductor that begins without a voltage: di/dt = 0 at the start; i_start [A] is a first guess. */
        model Inductor
            extends Basic.Inductor;
        implementation:
            if initial() then
                der(x = i) = 0;
            end if;
        end Inductor;

        /* Three currents a, b, c that begin steady as seen from a frame which turns with f [Hz] (Park's transformation):
              d = sqrt(2/3)*(sin(w)*a + sin(w + 2*pi/3)*b + sin(w + 4*pi/3)*c), q the same with cos,
              o = (a + b + c)/sqrt(3), with w = 2*pi*f*time + phase;
           the derivatives of d, q and o are 0 at the start. */
        model Rotating
            define third as 2.0943951023931953;
        interface:
            parameter Real f {unit << "Hz"} << 50;
            parameter Real phase {unit << "rad"} << 0;
            static Real a {unit << "A"};
            static Real b {unit << "A"};
            static Real c {unit << "A"};
            static Real d {unit << "A"};
            static Real q {unit << "A"};
            static Real o {unit << "A"};
        implementation:
            static Real w;
            w = 2*pi*f*time + phase;
            d = sqrt(2/3)*(sin(w)*a + sin(w + third)*b + sin(w + 2*third)*c);
            q = sqrt(2/3)*(cos(w)*a + cos(w + third)*b + cos(w + 2*third)*c);
            o = (a + b + c)/sqrt(3);
            if initial() then
                der(x = d) = 0;
                der(x = q) = 0;
                der(x = o) = 0;
            end if;
        end Rotating;
    end Steady;

    package Nonlinear

        /* i = a*tanh(b*u): conductance a*b around zero, never more than a [A]; b [1/V]. */
        model TanhResistor
            extends Interfaces.TwoPins;
        interface:
            parameter Real a << 1;
            parameter Real b << 1;
        implementation:
            i = a*tanh(b*u);
        end TanhResistor;

        /* Inductor whose core saturates. The flux is L_sat*i + (L - L_sat)*I_sat*tanh(i/I_sat), so
           u = (L_sat + (L - L_sat)*(1 - tanh(i/I_sat)^2))*di/dt: L [H] at small currents, L_sat far
           above I_sat [A]. */
        model SaturatingInductor
            extends Interfaces.TwoPins;
        interface:
            parameter Real L {unit << "H"} << 1;
            parameter Real L_sat {unit << "H"} << 0.1;
            parameter Real I_sat {unit << "A"} << 1;
            parameter Real i_start {unit << "A"} << 0;
            static Real flux {unit << "Wb"};
        implementation:
            assert(condition = L > 0 and L_sat > 0,
                   message = "the inductances L and L_sat must be positive");
            assert(condition = I_sat > 0,
                   message = "the current of saturation I_sat must be positive");
            static Real t;
            t = tanh(i/I_sat);
            flux = L_sat*i + (L - L_sat)*I_sat*t;
            u = (L_sat + (L - L_sat)*(1 - t*t))*der(x = i, start << i_start);
        end SaturatingInductor;

        /* The resistor of Chua's circuit, three straight pieces: slope Ga [S] for |u| < E [V], Gb
           outside: i = Gb*u + (Ga - Gb)*(|u + E| - |u - E|)/2. */
        model ChuaResistor
            extends Interfaces.TwoPins;
        interface:
            parameter Real Ga {unit << "S"} << -1;
            parameter Real Gb {unit << "S"} << -0.5;
            parameter Real E {unit << "V"} << 1;
        implementation:
            assert(condition = E > 0, message = "the voltage E of the corners must be positive");
            i = Gb*u + 0.5*(Ga - Gb)*(abs(u + E) - abs(u - E));
        end ChuaResistor;
    end Nonlinear;

    package Switches

        /* Ideal switch that cannot cut a current. closed: u = 0; open: i = 0. It closes when
           `command` becomes true. When `command` becomes false, the current goes on (in reality
           through an arc) until it passes zero, and only then the switch opens: so an inductor's
           current never has to jump. `command` is set by the model around; `closed` tells the
           state. */
        model Switch
            extends Interfaces.TwoPins;
        interface:
            static Boolean command;
            static Boolean closed;
        implementation:
            static Boolean waiting;
            static Boolean positive;
            if closed then "closed"
                u = 0;
            else then "open"
                i = 0;
            end if;
            if initial() then
                closed << command;
            else then
                when command then
                    closed << true;
                    waiting << false;
                else when closed and not command then
                    waiting << true;
                    positive << i > 0;
                else when waiting and ((positive and i <= 0) or (not positive and i >= 0)) then
                    waiting << false;
                    closed << false;
                end when;
            end if;
        end Switch;

        /* Ideal switch that opens at once. If a current flows through an inductor in series, it is
           cut: it jumps to zero, which in reality takes an impulse of voltage (L times the
           current). The model writes the current it cuts [A] to the output and keeps it in
           `cut`. */
        model ImpulsiveSwitch
            extends Interfaces.TwoPins;
        interface:
            static Boolean command;
            static Real cut;
        implementation:
            static Boolean closed;
            if closed then "closed"
                u = 0;
            else then "open"
                i = 0;
            end if;
            if initial() then
                closed << command;
            else then
                when command then
                    closed << true;
                else when closed and not command then
                    closed << false;
                    cut << i;
                    cout << i;
                end when;
            end if;
        end ImpulsiveSwitch;

        /* Switch with a small resistance when closed, u = R_on*i, and a small conductance when
           open, i = G_off*u; R_on [Ohm], G_off [S]. No current has to jump, whatever is in series:
           this is the switch for converters. */
        model ResistiveSwitch
            extends Interfaces.TwoPins;
        interface:
            parameter Real R_on {unit << "Ohm"} << 1e-3;
            parameter Real G_off {unit << "S"} << 1e-6;
            static Boolean command;
        implementation:
            assert(condition = R_on >= 0 and G_off >= 0,
                   message = "R_on and G_off must not be negative");
            if command then
                u = R_on*i;
            else then
                i = G_off*u;
            end if;
        end ResistiveSwitch;

        /* Connects pin p with n1 while `command` is false, with n2 while it is true. */
        model CommutingSwitch
        interface:
            static Interfaces.Pin p;
            static Interfaces.Pin n1;
            static Interfaces.Pin n2;
            static Boolean command;
        implementation:
            p.i + n1.i + n2.i = 0;
            if command then
                p.u = n2.u;
                n1.i = 0;
            else then
                p.u = n1.u;
                n2.i = 0;
            end if;
        end CommutingSwitch;

        /* Ideal diode. closed: u = 0, and it opens when i falls below 0; open: i = 0, and it closes
           when u rises above 0. It starts closed if closed_start says so. */
        model Diode
            extends Interfaces.TwoPins;
        interface:
            parameter Boolean closed_start << false;
            static Boolean closed;
        implementation:
            if closed then "closed"
                u = 0;
            else then "open"
                i = 0;
            end if;
            if initial() then
                closed << closed_start;
            else then
                when closed and i < 0 then
                    closed << false;
                else when not closed and u > 0 then
                    closed << true;
                end when;
            end if;
        end Diode;

        /* Diode with u = R_on*i when closed and i = G_off*u when open; R_on [Ohm], G_off [S]. For
           bridges: with all diodes open, the conductances decide the potentials between them, which
           ideal diodes would leave undetermined. */
        model ResistiveDiode
            extends Interfaces.TwoPins;
        interface:
            parameter Real R_on {unit << "Ohm"} << 1e-3;
            parameter Real G_off {unit << "S"} << 1e-6;
            static Boolean closed;
        implementation:
            assert(condition = R_on >= 0 and G_off >= 0,
                   message = "R_on and G_off must not be negative");
            if closed then "closed"
                u = R_on*i;
            else then "open"
                i = G_off*u;
            end if;
            when closed and i < 0 then
                closed << false;
            else when not closed and u > 0 then
                closed << true;
            end when;
        end ResistiveDiode;

        /* Ideal thyristor: closes when `fire` is true and u > 0, opens when i falls below 0. */
        model Thyristor
            extends Interfaces.TwoPins;
        interface:
            static Boolean fire;
            static Boolean closed;
        implementation:
            if closed then "closed"
                u = 0;
            else then "open"
                i = 0;
            end if;
            when closed and i < 0 then
                closed << false;
            else when not closed and fire and u > 0 then
                closed << true;
            end when;
        end Thyristor;
    end Switches;

    package Semiconductors

        /* exp(x) up to x = 40, its tangent beyond: a guess of Newton's method far off must not
           overflow. */
        model BoundedExp
        interface:
            static in Real x;
            static out Real y;
        implementation:
            y = exp(min(x, 40))*(1 + max(x - 40, 0));
        end BoundedExp;

        /* i = I_s*(exp(u/(N*U_T)) - 1) + u/R_p: saturation current I_s [A], thermal voltage U_T
           [V], emission coefficient N, parallel resistance R_p [Ohm]. */
        model ExponentialDiode
            extends Interfaces.TwoPins;
        interface:
            parameter Real I_s {unit << "A"} << 1e-12;
            parameter Real U_T {unit << "V"} << 0.026;
            parameter Real N << 1;
            parameter Real R_p {unit << "Ohm"} << 1e8;
        implementation:
            assert(condition = I_s > 0, message = "the saturation current I_s must be positive");
            assert(condition = U_T > 0 and N > 0, message = "U_T and N must be positive");
            assert(condition = R_p > 0, message = "the parallel resistance R_p must be positive");
            i = I_s*(BoundedExp(x = u/(N*U_T)) - 1) + u/R_p;
        end ExponentialDiode;

        /* Bipolar transistor of type npn (Ebers and Moll, transport form). With the two junctions
              be = I_s*(exp(u_be/U_T) - 1),   bc = I_s*(exp(u_bc/U_T) - 1)
           the currents into the pins are
              c.i = be - bc - bc/B_R,   b.i = be/B_F + bc/B_R,   c.i + b.i + e.i = 0.
           I_s [A], U_T [V], current gains forward B_F and reverse B_R. */
        model NPN
        interface:
            parameter Real I_s {unit << "A"} << 1e-14;
            parameter Real U_T {unit << "V"} << 0.026;
            parameter Real B_F << 100;
            parameter Real B_R << 1;
            static Interfaces.Pin b;
            static Interfaces.Pin c;
            static Interfaces.Pin e;
        implementation:
            assert(condition = I_s > 0, message = "the saturation current I_s must be positive");
            assert(condition = U_T > 0, message = "the thermal voltage U_T must be positive");
            assert(condition = B_F > 0 and B_R > 0,
                   message = "the current gains B_F and B_R must be positive");
            static Real be {unit << "A"};
            static Real bc {unit << "A"};
            be = I_s*(BoundedExp(x = (b.u - e.u)/U_T) - 1);
            bc = I_s*(BoundedExp(x = (b.u - c.u)/U_T) - 1);
            c.i = be - bc - bc/B_R;
            b.i = be/B_F + bc/B_R;
            c.i + b.i + e.i = 0;
        end NPN;
    end Semiconductors;

    package Examples

        /* Half-wave rectifier with line inductance: a sine source feeds a capacitor with load through
           inductor, resistor and ideal diode. Every period the diode closes and opens once; with it
           the state i of the inductor comes and goes. */
        model Rectifier
        interface:
            parameter Real L_line {unit << "H"} << 0.2;
            static Sources.SineVoltage source{U << 1, f << 50};
            static Basic.Inductor line{L << L_line};
            static Basic.Resistor R1{R << 10};
            static Switches.Diode D;
            static Basic.Capacitor C{C << 1e-3};
            static Basic.Resistor load{R << 50};
        implementation:
            static Sources.Ground G;
            connection{a << source.p, b << line.p};
            connection{a << line.n, b << R1.p};
            connection{a << R1.n, b << D.p};
            connection{a << D.n, b << C.p};
            connection{a << C.p, b << load.p};
            connection{a << source.n, b << G.p};
            connection{a << C.n, b << G.p};
            connection{a << load.n, b << G.p};
        end Rectifier;

        /* Four diodes around a source with resistance; the load hangs on the capacitor. */
        model FullBridge
        interface:
            static Sources.SineVoltage source{U << 10, f << 50};
            static Basic.Resistor R1{R << 1};
            static Switches.ResistiveDiode D1;
            static Switches.ResistiveDiode D2;
            static Switches.ResistiveDiode D3;
            static Switches.ResistiveDiode D4;
            static Basic.Capacitor C{C << 1e-3};
            static Basic.Resistor load{R << 100};
        implementation:
            static Sources.Ground G;
            connection{a << source.p, b << R1.p};
            connection{a << R1.n, b << D1.p};
            connection{a << D1.p, b << D3.n};
            connection{a << source.n, b << D2.p};
            connection{a << D2.p, b << D4.n};
            connection{a << D1.n, b << C.p};
            connection{a << D2.n, b << C.p};
            connection{a << C.p, b << load.p};
            connection{a << D3.p, b << G.p};
            connection{a << D4.p, b << G.p};
            connection{a << C.n, b << G.p};
            connection{a << load.n, b << G.p};
        end FullBridge;

        /* Step-down converter: the switch connects inductor and input for the part `duty` of each
           period, the diode carries the current for the rest. In the mean the output has duty times
           the input's voltage. */
        model Buck
        interface:
            parameter Real duty << 0.4;
            parameter Real period {unit << "s"} << 1e-4;
            static Sources.ConstantVoltage source{U << 24};
            static Switches.ResistiveSwitch S;
            static Switches.ResistiveDiode D;
            static Basic.Inductor L{L << 1e-3};
            static Basic.Capacitor C{C << 1e-4};
            static Basic.Resistor load{R << 10};
        implementation:
            static Sources.Ground G;
            S.command << Waveforms.Pulse{period << period, width << duty}() > 0.5;
            connection{a << source.p, b << S.p};
            connection{a << S.n, b << L.p};
            connection{a << L.p, b << D.n};
            connection{a << L.n, b << C.p};
            connection{a << C.p, b << load.p};
            connection{a << source.n, b << G.p};
            connection{a << D.p, b << G.p};
            connection{a << C.n, b << G.p};
            connection{a << load.n, b << G.p};
        end Buck;

        /* Step-up converter: the switch charges the inductor for the part `duty` of each period,
           then the diode passes its current on. In the mean the output has 1/(1 - duty) times the
           input's voltage. */
        model Boost
        interface:
            parameter Real duty << 0.5;
            parameter Real period {unit << "s"} << 1e-4;
            static Sources.ConstantVoltage source{U << 12};
            static Switches.ResistiveSwitch S;
            static Switches.ResistiveDiode D;
            static Basic.Inductor L{L << 1e-3};
            static Basic.Capacitor C{C << 1e-4};
            static Basic.Resistor load{R << 50};
        implementation:
            static Sources.Ground G;
            S.command << Waveforms.Pulse{period << period, width << duty}() > 0.5;
            connection{a << source.p, b << L.p};
            connection{a << L.n, b << S.p};
            connection{a << L.n, b << D.p};
            connection{a << D.n, b << C.p};
            connection{a << C.p, b << load.p};
            connection{a << source.n, b << G.p};
            connection{a << S.n, b << G.p};
            connection{a << C.n, b << G.p};
            connection{a << load.n, b << G.p};
        end Boost;

        /* Six diodes between three phases with line resistances and an inductive load. (Inductances in
           all three lines and nothing else would be one state too many: their currents sum to zero,
           which no single equation of the circuit says.) */
        model ThreePhaseBridge
            define third as 2.0943951023931953;
        interface:
            static Sources.SineVoltage U1{U << 100, f << 50, phase << 0};
            static Sources.SineVoltage U2{U << 100, f << 50, phase << -third};
            static Sources.SineVoltage U3{U << 100, f << 50, phase << third};
            static Basic.Resistor R1{R << 0.1};
            static Basic.Resistor R2{R << 0.1};
            static Basic.Resistor R3{R << 0.1};
            static Switches.ResistiveDiode P1{R_on << 1e-2, G_off << 1e-4};
            static Switches.ResistiveDiode P2{R_on << 1e-2, G_off << 1e-4};
            static Switches.ResistiveDiode P3{R_on << 1e-2, G_off << 1e-4};
            static Switches.ResistiveDiode N1{R_on << 1e-2, G_off << 1e-4};
            static Switches.ResistiveDiode N2{R_on << 1e-2, G_off << 1e-4};
            static Switches.ResistiveDiode N3{R_on << 1e-2, G_off << 1e-4};
            static Basic.Resistor R{R << 10};
            static Basic.Inductor L{L << 0.1};
        implementation:
            static Sources.Ground G;
            connection{a << U1.n, b << G.p};
            connection{a << U2.n, b << G.p};
            connection{a << U3.n, b << G.p};
            connection{a << U1.p, b << R1.p};
            connection{a << U2.p, b << R2.p};
            connection{a << U3.p, b << R3.p};
            connection{a << R1.n, b << P1.p};
            connection{a << R2.n, b << P2.p};
            connection{a << R3.n, b << P3.p};
            connection{a << R1.n, b << N1.n};
            connection{a << R2.n, b << N2.n};
            connection{a << R3.n, b << N3.n};
            connection{a << P1.n, b << P2.n};
            connection{a << P2.n, b << P3.n};
            connection{a << P3.n, b << R.p};
            connection{a << R.n, b << L.p};
            connection{a << N1.p, b << N2.p};
            connection{a << N2.p, b << N3.p};
            connection{a << N3.p, b << L.n};
        end ThreePhaseBridge;

        /* Two grids of three phases, one ahead of the other by the angle shift [rad], joined by a resistor and an inductor in each
           phase. The currents begin as they go on: steady in the frame that turns with the grids. power [W] goes into the line
           from the one that is ahead. */
        model ThreePhaseLine
            define third as 2.0943951023931953;
        interface:
            parameter Real shift {unit << "rad"} << 0.4;
            static Sources.SineVoltage U1{f << 1, phase << shift};
            static Sources.SineVoltage U2{f << 1, phase << shift + third};
            static Sources.SineVoltage U3{f << 1, phase << shift + 2*third};
            static Basic.Resistor R1{R << 0.5};
            static Basic.Resistor R2{R << 0.5};
            static Basic.Resistor R3{R << 0.5};
            static Basic.Inductor L1{L << 0.3};
            static Basic.Inductor L2{L << 0.3};
            static Basic.Inductor L3{L << 0.3};
            static Sources.SineVoltage V1{f << 1};
            static Sources.SineVoltage V2{f << 1, phase << third};
            static Sources.SineVoltage V3{f << 1, phase << 2*third};
            static Steady.Rotating frame{f << 1};
            static Real power {unit << "W"};
        implementation:
            static Sources.Ground G;
            frame.a = L1.i;
            frame.b = L2.i;
            frame.c = L3.i;
            power = U1.u*L1.i + U2.u*L2.i + U3.u*L3.i;
            connection{a << U1.p, b << R1.p};
            connection{a << U2.p, b << R2.p};
            connection{a << U3.p, b << R3.p};
            connection{a << R1.n, b << L1.p};
            connection{a << R2.n, b << L2.p};
            connection{a << R3.n, b << L3.p};
            connection{a << L1.n, b << V1.p};
            connection{a << L2.n, b << V2.p};
            connection{a << L3.n, b << V3.p};
            connection{a << U1.n, b << G.p};
            connection{a << U2.n, b << G.p};
            connection{a << U3.n, b << G.p};
            connection{a << V1.n, b << G.p};
            connection{a << V2.n, b << G.p};
            connection{a << V3.n, b << G.p};
        end ThreePhaseLine;

        /* The same line, of which the power is known and the shift is not. There are two shifts with this power: the one that is found is next to
           the first guess. */
        model ThreePhasePower
        interface:
            parameter Real shift {unit << "rad", fixed << false, start << 0.1};
            static ThreePhaseLine line{shift << shift};
        implementation:
            if initial() then
                line.power = -0.12865;
            end if;
        end ThreePhasePower;

        /* Chua's circuit: the simplest one that is chaotic. */
        model Chua
        interface:
            static Basic.Inductor L{L << 18};
            static Basic.Resistor R0{R << 12.5e-3};
            static Basic.Conductor Gc{G << 0.565};
            static Basic.Capacitor C1{C << 10, u_start << 4};
            static Basic.Capacitor C2{C << 100};
            static Nonlinear.ChuaResistor N{Ga << -0.757576, Gb << -0.409091, E << 1};
        implementation:
            static Sources.Ground G;
            connection{a << L.n, b << R0.p};
            connection{a << L.p, b << C2.p};
            connection{a << C2.p, b << Gc.p};
            connection{a << Gc.n, b << C1.p};
            connection{a << C1.p, b << N.p};
            connection{a << R0.n, b << G.p};
            connection{a << C2.n, b << G.p};
            connection{a << C1.n, b << G.p};
            connection{a << N.n, b << G.p};
        end Chua;

        /* Low-pass filter of fifth order (Cauer). Its five capacitors form two loops: only three
           of their voltages are states. */
        model LowPass
            define l1 as 1.304;
            define l2 as 0.8586;
        interface:
            static Sources.StepVoltage source{U << 1, T << 1};
            static Basic.Resistor R1{R << 1};
            static Basic.Capacitor C1{C << 1.072};
            static Basic.Capacitor C2{C << 1/(1.704992^2*l1)};
            static Basic.Inductor L1{L << l1};
            static Basic.Capacitor C3{C << 1.682};
            static Basic.Capacitor C4{C << 1/(1.179945^2*l2)};
            static Basic.Inductor L2{L << l2};
            static Basic.Capacitor C5{C << 0.7262};
            static Basic.Resistor R2{R << 1};
        implementation:
            static Sources.Ground G;
            connection{a << source.p, b << R1.p};
            connection{a << R1.n, b << C1.p};
            connection{a << C1.p, b << C2.p};
            connection{a << C2.p, b << L1.p};
            connection{a << C2.n, b << C3.p};
            connection{a << C3.p, b << L1.n};
            connection{a << C3.p, b << C4.p};
            connection{a << C4.p, b << L2.p};
            connection{a << C4.n, b << C5.p};
            connection{a << C5.p, b << L2.n};
            connection{a << C5.p, b << R2.p};
            connection{a << source.n, b << G.p};
            connection{a << C1.n, b << G.p};
            connection{a << C3.n, b << G.p};
            connection{a << C5.n, b << G.p};
            connection{a << R2.n, b << G.p};
        end LowPass;

        /* A switch in series with an inductor is told to open at 0.012 s; it does so when
           the current passes zero. */
        model ZeroCurrentOpening
        interface:
            static Sources.SineVoltage source{U << 10, f << 50};
            static Basic.Resistor R{R << 1};
            static Basic.Inductor L{L << 0.01};
            static Switches.Switch S;
        implementation:
            static Sources.Ground G;
            S.command << time < 0.012;
            connection{a << source.p, b << R.p};
            connection{a << R.n, b << L.p};
            connection{a << L.n, b << S.p};
            connection{a << S.n, b << G.p};
            connection{a << source.n, b << G.p};
        end ZeroCurrentOpening;

        /* The same with a switch that cuts the current at 0.012 s. */
        model CutCurrent
        interface:
            static Sources.SineVoltage source{U << 10, f << 50};
            static Basic.Resistor R{R << 1};
            static Basic.Inductor L{L << 0.01};
            static Switches.ImpulsiveSwitch S;
        implementation:
            static Sources.Ground G;
            S.command << time < 0.012;
            connection{a << source.p, b << R.p};
            connection{a << R.n, b << L.p};
            connection{a << L.n, b << S.p};
            connection{a << S.n, b << G.p};
            connection{a << source.n, b << G.p};
        end CutCurrent;

        /* A thyristor lets through what is left of each half-wave when it is fired, here from
           a quarter of the period on. */
        model PhaseControl
        interface:
            static Sources.SineVoltage source{U << 10, f << 50};
            static Switches.Thyristor T;
            static Basic.Resistor load{R << 5};
        implementation:
            static Sources.Ground G;
            T.fire << Waveforms.Pulse{period << 0.02, width << 0.05, T << 0.005}() > 0.5;
            connection{a << source.p, b << T.p};
            connection{a << T.n, b << load.p};
            connection{a << load.n, b << G.p};
            connection{a << source.n, b << G.p};
        end PhaseControl;

        /* A capacitor is charged from one side of a commuting switch and discharged at the
           other. */
        model Commutation
        interface:
            static Sources.ConstantVoltage source{U << 10};
            static Switches.CommutingSwitch S;
            static Basic.Resistor charge{R << 100};
            static Basic.Resistor discharge{R << 200};
            static Basic.Capacitor C{C << 1e-3};
        implementation:
            static Sources.Ground G;
            S.command << time > 0.5;
            connection{a << source.p, b << charge.p};
            connection{a << charge.n, b << S.n1};
            connection{a << discharge.p, b << S.n2};
            connection{a << S.p, b << C.p};
            connection{a << discharge.n, b << G.p};
            connection{a << C.n, b << G.p};
            connection{a << source.n, b << G.p};
        end Commutation;

        /* Inverting integrator: du/dt of the output is -u_in/(R*C). */
        model InvertingIntegrator
        interface:
            static Sources.ConstantVoltage source{U << 2};
            static Basic.Resistor R{R << 1000};
            static Basic.Capacitor C{C << 1e-3};
            static Basic.OperationalAmplifier A;
        implementation:
            static Sources.Ground G;
            connection{a << source.p, b << R.p};
            connection{a << R.n, b << A.n};
            connection{a << A.n, b << C.p};
            connection{a << C.n, b << A.output};
            connection{a << A.p, b << G.p};
            connection{a << source.n, b << G.p};
        end InvertingIntegrator;

        /* A common-emitter amplifier with coupling capacitors. */
        model Amplifier
        interface:
            static Sources.SineVoltage source{U << 0.01, f << 1000};
            static Sources.ConstantVoltage supply{U << 10};
            static Basic.Capacitor C1{C << 1e-5};
            static Basic.Capacitor C2{C << 1e-5};
            static Basic.Capacitor CE{C << 1e-4};
            static Basic.Resistor RB1{R << 47e3};
            static Basic.Resistor RB2{R << 10e3};
            static Basic.Resistor RC{R << 2.2e3};
            static Basic.Resistor RE{R << 470};
            static Basic.Resistor load{R << 100e3};
            static Semiconductors.NPN T;
        implementation:
            static Sources.Ground G;
            connection{a << source.p, b << C1.p};
            connection{a << C1.n, b << T.b};
            connection{a << RB1.n, b << T.b};
            connection{a << RB2.p, b << T.b};
            connection{a << RC.n, b << T.c};
            connection{a << T.c, b << C2.p};
            connection{a << C2.n, b << load.p};
            connection{a << T.e, b << RE.p};
            connection{a << T.e, b << CE.p};
            connection{a << supply.p, b << RB1.p};
            connection{a << supply.p, b << RC.p};
            connection{a << supply.n, b << G.p};
            connection{a << source.n, b << G.p};
            connection{a << RB2.n, b << G.p};
            connection{a << RE.n, b << G.p};
            connection{a << CE.n, b << G.p};
            connection{a << load.n, b << G.p};
        end Amplifier;

        /* Half-wave rectifier with the exponential diode. */
        model SoftRectifier
        interface:
            static Sources.SineVoltage source{U << 5, f << 50};
            static Semiconductors.ExponentialDiode D;
            static Basic.Capacitor C{C << 1e-4};
            static Basic.Resistor load{R << 1000};
        implementation:
            static Sources.Ground G;
            connection{a << source.p, b << D.p};
            connection{a << D.n, b << C.p};
            connection{a << C.p, b << load.p};
            connection{a << C.n, b << G.p};
            connection{a << load.n, b << G.p};
            connection{a << source.n, b << G.p};
        end SoftRectifier;

        /* A saturating inductor and a tanh resistor in series on a sine: the current grows
           peaks where the core saturates. */
        model Saturation
        interface:
            static Sources.SineCurrent source{I << 2, f << 1};
            static Nonlinear.SaturatingInductor L{L << 1, L_sat << 0.05, I_sat << 1};
            static Nonlinear.TanhResistor R{a << 3, b << 0.5};
        implementation:
            static Sources.Ground G;
            connection{a << source.n, b << L.p};
            connection{a << L.n, b << R.p};
            connection{a << R.n, b << G.p};
            connection{a << source.p, b << G.p};
        end Saturation;

        /* A transformer with stray inductance and an ideal one, each with a load. */
        model Transformers
        interface:
            static Sources.StepVoltage source{U << 10};
            static Basic.Resistor R1{R << 1};
            static Basic.Transformer coupled{L1 << 1, L2 << 0.25, M << 0.45};
            static Basic.Resistor load1{R << 2};
            static Basic.IdealTransformer ideal{ratio << 2};
            static Basic.Resistor load2{R << 3};
        implementation:
            static Sources.Ground G;
            static Sources.Ground G1;
            static Sources.Ground G2;
            connection{a << source.p, b << R1.p};
            connection{a << R1.n, b << coupled.p1};
            connection{a << coupled.n1, b << G.p};
            connection{a << coupled.p2, b << load1.p};
            connection{a << coupled.n2, b << load1.n};
            connection{a << load1.n, b << G1.p};
            connection{a << source.p, b << ideal.p1};
            connection{a << ideal.n1, b << G.p};
            connection{a << ideal.p2, b << load2.p};
            connection{a << ideal.n2, b << load2.n};
            connection{a << load2.n, b << G2.p};
            connection{a << source.n, b << G.p};
        end Transformers;

        /* A chain of the four controlled sources: 3 A -> 6 V -> 12 V -> 6 A -> 18 A. */
        model ControlledChain
        interface:
            static Sources.ConstantCurrent source{I << 3};
            static Controlled.VoltageByCurrent A{R << 2};
            static Controlled.VoltageByVoltage B{gain << 2};
            static Controlled.CurrentByVoltage C{S << 0.5};
            static Controlled.CurrentByCurrent D{gain << 3};
            static Basic.Resistor load{R << 2};
        implementation:
            static Sources.Ground G;
            connection{a << source.n, b << A.p1};
            connection{a << source.p, b << A.n1};
            connection{a << A.n1, b << G.p};
            connection{a << A.p2, b << B.p1};
            connection{a << A.n2, b << B.n1};
            connection{a << B.n1, b << G.p};
            connection{a << B.p2, b << C.p1};
            connection{a << B.n2, b << C.n1};
            connection{a << C.n1, b << G.p};
            connection{a << C.n2, b << D.p1};
            connection{a << C.p2, b << D.n1};
            connection{a << D.n1, b << G.p};
            connection{a << D.n2, b << load.p};
            connection{a << D.p2, b << load.n};
            connection{a << load.n, b << G.p};
        end ControlledChain;

        /* Voltages of every waveform in series, and currents of every waveform in parallel. */
        model Waves
        interface:
            static Sources.StepVoltage step{U << 1, T << 0.2};
            static Sources.RampVoltage ramp{U << 2, T << 0.1, duration << 0.5};
            static Sources.PulseVoltage pulse{U << 4, period << 0.2, width << 0.3, T << 0.1};
            static Sources.SignalVoltage signal;
            static Basic.Resistor R{R << 2};
            static Sources.StepCurrent stepI{I << 1, T << 0.2};
            static Sources.RampCurrent rampI{I << 2, T << 0.1, duration << 0.5};
            static Sources.PulseCurrent pulseI{I << 4, period << 0.2, width << 0.3, T << 0.1};
            static Sources.SignalCurrent signalI;
            static Basic.Conductor Gi{G << 0.5};
        implementation:
            static Sources.Ground G;
            signal.signal = time^2;
            signalI.signal = 1 - time;
            connection{a << step.p, b << R.p};
            connection{a << step.n, b << ramp.p};
            connection{a << ramp.n, b << pulse.p};
            connection{a << pulse.n, b << signal.p};
            connection{a << signal.n, b << G.p};
            connection{a << R.n, b << G.p};
            connection{a << stepI.n, b << Gi.p};
            connection{a << rampI.n, b << Gi.p};
            connection{a << pulseI.n, b << Gi.p};
            connection{a << signalI.n, b << Gi.p};
            connection{a << stepI.p, b << G.p};
            connection{a << rampI.p, b << G.p};
            connection{a << pulseI.p, b << G.p};
            connection{a << signalI.p, b << G.p};
            connection{a << Gi.n, b << G.p};
        end Waves;
    end Examples;
end Electric;
