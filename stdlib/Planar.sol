/* Planar: rigid bodies that move in a plane, with impulses.

   Coordinates: x [m] to the right, y [m] upwards; weight acts downwards. Angles phi [rad] turn
   clockwise: a vector (sx, sy) fixed to a frame points in the plane to
       sx0 = cos(phi)*sx + sin(phi)*sy,    sy0 = -sin(phi)*sx + cos(phi)*sy,
   moves with w*(sy0, -sx0), and a force (fx, fy) at its end has the torque sy0*fx - sx0*fy.

   A frame is a place on a body with an orientation. It carries two sets of variables.
   - Motion: x, y, phi and, as flows, force fx, fy [N] and torque t [N.m] that act on the component
     from outside.
   - Impulse: the means Vmx, Vmy [m/s] and Wm [rad/s] of the velocities before and after an impulse
     and, as flows, the impulse Px, Py [N.s] and its moment M [N.m.s] on the component. A mass takes
     P = 2*m*(Vm - Va), where Va is the velocity before; afterwards it is 2*Vm - Va. Outside
     impulses P is 0 and Vm is the velocity.

   Where nothing hits, all that is needed are connections: contactIn is false as long as nobody says otherwise. Where
   something does, a component that causes an impulse says so by contactOut of its frames, and all that are rigidly
   connected hear it by contactIn of theirs. Where frames are connected, the model around must then pass
   the signals on: contactIn of each frame is the `or` of the contactOut of the others; without a
   neighbour it is false. In the update of an impulse velocities are no states: joints compute them
   from Wm, and accelerations and forces are not defined. A Fixation passes nothing on, so a chain
   that hangs on two fixations is no loop of signals; any other loop of frames must be cut, by
   giving false to one contactIn.

   Contacts begin at a speed above `small`, so that what has just let go is not caught again because
   of a rounding error.

   Joints own the states. In a tree every body hangs on one joint; a chain that closes a loop needs
   one joint without states, LoopRevolute. A body that hangs on nothing is a FreeBody.

   Zimmer 2010, chapter 2, section 11.4 and appendix D. */
package Planar
    define small as 1e-9;

    package Interfaces

        /* Place and orientation, force and torque. */
        connector Frame
        interface:
            static potential Real x {unit << "m"};
            static potential Real y {unit << "m"};
            static potential Real phi {unit << "rad"};
            static flow Real fx {unit << "N"};
            static flow Real fy {unit << "N"};
            static flow Real t {unit << "N.m"};
        end Frame;

        /* The same with impulses and contact signals. */
        connector IFrame
            extends Frame;
        interface:
            static Boolean contactIn {start << false};
            static Boolean contactOut;
            static potential Real Vmx {unit << "m/s"};
            static potential Real Vmy {unit << "m/s"};
            static potential Real Wm {unit << "rad/s"};
            static flow Real Px {unit << "N.s"};
            static flow Real Py {unit << "N.s"};
            static flow Real M {unit << "N.m.s"};
        end IFrame;

        partial model OneFrame
        interface:
            static IFrame fa;
        end OneFrame;

        partial model TwoFrames
        interface:
            static IFrame fa;
            static IFrame fb;
        end TwoFrames;

        /* Forces and impulses go through. */
        partial model Rigid
            extends TwoFrames;
        implementation:
            fa.fx + fb.fx = 0;
            fa.fy + fb.fy = 0;
            fa.Px + fb.Px = 0;
            fa.Py + fb.Py = 0;
        end Rigid;

        /* Two frames at one place that turn by phi = fb.phi - fa.phi against each other. */
        partial model Hinge
            extends Rigid;
        interface:
            static Real phi {unit << "rad"};
        implementation:
            static Real Wm {unit << "rad/s"};
            fa.x = fb.x;
            fa.y = fb.y;
            fa.phi + phi = fb.phi;
            fa.t + fb.t = 0;
            fa.Vmx = fb.Vmx;
            fa.Vmy = fb.Vmy;
            fa.Wm + Wm = fb.Wm;
            fa.M + fb.M = 0;
            Graphics.Rectangle{fill << "grey"}
                (sx << fa.x - 0.1, sy << fa.y - 0.1, dx << fa.x + 0.1, dy << fa.y + 0.1);
        end Hinge;
    end Interfaces;

    package Parts

        /* Mass m [kg] and moment of inertia I [kg.m^2] about the frame, which is the centre of
           mass: fx = m*ax, fy - m*g = m*ay, t = I*z; g [m/s^2]. energy [J] is kinetic plus
           potential energy against y = 0. The body has no states of its own: it needs a joint. */
        model Body
            extends Interfaces.OneFrame;
        interface:
            parameter Real m {unit << "kg"} << 1;
            parameter Real I {unit << "kg.m2"} << 1;
            parameter Real g {unit << "m/s2"} << 9.81;
            static Real vx {unit << "m/s"};
            static Real vy {unit << "m/s"};
            static Real w {unit << "rad/s"};
            static Real energy {unit << "J"};
        implementation:
            assert(condition = m > 0, message = "the mass m must be positive");
            assert(condition = I >= 0, message = "the moment of inertia I must not be negative");
            static Real ax {unit << "m/s2"};
            static Real ay {unit << "m/s2"};
            static Real z {unit << "rad/s2"};
            static Real Vax {unit << "m/s"};
            static Real Vay {unit << "m/s"};
            static Real Wa {unit << "rad/s"};
            vx = der(x = fa.x);
            vy = der(x = fa.y);
            w = der(x = fa.phi);
            when fa.contactIn then
            else then
                ax = der(x = vx);
                ay = der(x = vy);
                z = der(x = w);
                Vax << vx;
                Vay << vy;
                Wa << w;
            end when;
            fa.fx = m*ax;
            fa.fy - m*g = m*ay;
            fa.t = I*z;
            fa.Px = 2*m*(fa.Vmx - Vax);
            fa.Py = 2*m*(fa.Vmy - Vay);
            fa.M = 2*I*(fa.Wm - Wa);
            fa.contactOut << false;
            energy = 0.5*m*(vx*vx + vy*vy) + 0.5*I*w*w + m*g*fa.y;
            Graphics.Ellipse{fill << "grey"}
                (sx << fa.x - 0.046*m^(1/3), sy << fa.y - 0.046*m^(1/3),
                 dx << fa.x + 0.046*m^(1/3), dy << fa.y + 0.046*m^(1/3));
        end Body;

        /* The same with six states of its own: a body that flies, or that hangs on forces only. */
        model FreeBody
            extends Interfaces.OneFrame;
        interface:
            parameter Real m {unit << "kg"} << 1;
            parameter Real I {unit << "kg.m2"} << 1;
            parameter Real g {unit << "m/s2"} << 9.81;
            parameter Real x_start {unit << "m"} << 0;
            parameter Real y_start {unit << "m"} << 0;
            parameter Real phi_start {unit << "rad"} << 0;
            parameter Real vx_start {unit << "m/s"} << 0;
            parameter Real vy_start {unit << "m/s"} << 0;
            parameter Real w_start {unit << "rad/s"} << 0;
            static Real vx {unit << "m/s"};
            static Real vy {unit << "m/s"};
            static Real w {unit << "rad/s"};
            static Real energy {unit << "J"};
        implementation:
            assert(condition = m > 0, message = "the mass m must be positive");
            assert(condition = I > 0, message = "the moment of inertia I must be positive");
            static Real ax {unit << "m/s2"};
            static Real ay {unit << "m/s2"};
            static Real z {unit << "rad/s2"};
            static Real Vax {unit << "m/s"};
            static Real Vay {unit << "m/s"};
            static Real Wa {unit << "rad/s"};
            static Real Vex {unit << "m/s"};
            static Real Vey {unit << "m/s"};
            static Real We {unit << "rad/s"};
            if initial() then
                Vex << vx_start;
                Vey << vy_start;
                We << w_start;
            end if;
            vx = der(x = fa.x, start << x_start);
            vy = der(x = fa.y, start << y_start);
            w = der(x = fa.phi, start << phi_start);
            when fa.contactIn then
                vx = 2*fa.Vmx - Vax;
                vy = 2*fa.Vmy - Vay;
                w = 2*fa.Wm - Wa;
                Vex << vx;
                Vey << vy;
                We << w;
            else then
                ax = der(x = vx, start << Vex);
                ay = der(x = vy, start << Vey);
                z = der(x = w, start << We);
                Vax << vx;
                Vay << vy;
                Wa << w;
            end when;
            fa.fx = m*ax;
            fa.fy - m*g = m*ay;
            fa.t = I*z;
            fa.Px = 2*m*(fa.Vmx - Vax);
            fa.Py = 2*m*(fa.Vmy - Vay);
            fa.M = 2*I*(fa.Wm - Wa);
            fa.contactOut << false;
            energy = 0.5*m*(vx*vx + vy*vy) + 0.5*I*w*w + m*g*fa.y;
            Graphics.Ellipse{fill << "grey"}
                (sx << fa.x - 0.046*m^(1/3), sy << fa.y - 0.046*m^(1/3),
                 dx << fa.x + 0.046*m^(1/3), dy << fa.y + 0.046*m^(1/3));
        end FreeBody;

        /* Rigid and without mass from fa to fb, which lies at (sx, sy) [m] in the frame of fa. */
        model Translation
            extends Interfaces.Rigid;
        interface:
            parameter Real sx {unit << "m"} << 1;
            parameter Real sy {unit << "m"} << 0;
        implementation:
            static Real sx0 {unit << "m"};
            static Real sy0 {unit << "m"};
            sx0 = cos(fa.phi)*sx + sin(fa.phi)*sy;
            sy0 = cos(fa.phi)*sy - sin(fa.phi)*sx;
            fb.x = fa.x + sx0;
            fb.y = fa.y + sy0;
            fb.phi = fa.phi;
            fa.t + fb.t + sy0*fb.fx - sx0*fb.fy = 0;
            fb.Vmx = fa.Vmx + sy0*fa.Wm;
            fb.Vmy = fa.Vmy - sx0*fa.Wm;
            fb.Wm = fa.Wm;
            fa.M + fb.M + sy0*fb.Px - sx0*fb.Py = 0;
            fa.contactOut << fb.contactIn;
            fb.contactOut << fa.contactIn;
            Graphics.Line{width << 0.03*sqrt(sx*sx + sy*sy), colour << "brown"}
                (sx << fa.x, sy << fa.y, dx << fb.x, dy << fb.y);
        end Translation;

        /* Spring of stiffness c [N/m] and length l_0 [m] without force, and damper d [N.s/m],
           between two frames: along the line from fa to fb, of length l, acts c*(l - l_0) +
           d*dl/dt, inwards where positive. It passes no impulse. */
        model SpringDamper
            extends Interfaces.TwoFrames;
        interface:
            parameter Real c << 1;
            parameter Real d << 0;
            parameter Real l_0 {unit << "m"} << 1;
            static Real l {unit << "m"};
            static Real energy {unit << "J"};
        implementation:
            assert(condition = c >= 0 and d >= 0,
                   message = "stiffness c and damping d must not be negative");
            assert(condition = l_0 >= 0, message = "the length l_0 must not be negative");
            static Real rx;
            static Real ry;
            static Real f;
            rx = fb.x - fa.x;
            ry = fb.y - fa.y;
            l = sqrt(rx*rx + ry*ry);
            f = c*(l - l_0) + d*der(x = l);
            fb.fx = f*rx/l;
            fb.fy = f*ry/l;
            fa.fx + fb.fx = 0;
            fa.fy + fb.fy = 0;
            fa.t = 0;
            fb.t = 0;
            fa.Px = 0;
            fa.Py = 0;
            fa.M = 0;
            fb.Px = 0;
            fb.Py = 0;
            fb.M = 0;
            fa.contactOut << false;
            fb.contactOut << false;
            energy = 0.5*c*(l - l_0)^2;
            Graphics.Line(sx << fa.x, sy << fa.y, dx << fb.x, dy << fb.y);
        end SpringDamper;

        /* Rope of length l [m] without mass. Slack: no force. When the distance of the frames
           reaches l, an impulse along the rope takes the rest of their speed away from each other
           (inelastic), and the rope is taut: the distance stays l, the tension f [N] is what that
           takes. When f would become negative, the rope is slack again. While taut it passes
           impulses of others on; in that update the distance is kept by the velocities alone, for
           positions do not move in an impulse. */
        model Rope
            extends Interfaces.TwoFrames;
        interface:
            parameter Real l {unit << "m"} << 1;
            static Boolean taut;
            static Real f;
        implementation:
            assert(condition = l > 0, message = "the length l must be positive");
            static Real rx;
            static Real ry;
            static Real rate;
            static Real P;
            static Real Rate_a;
            static Boolean tightens;
            rx = fb.x - fa.x;
            ry = fb.y - fa.y;
            rate = rx*der(x = rx) + ry*der(x = ry);
            fb.fx = f*rx/l;
            fb.fy = f*ry/l;
            fa.fx + fb.fx = 0;
            fa.fy + fb.fy = 0;
            fa.t = 0;
            fb.t = 0;
            fb.Px = P*rx/l;
            fb.Py = P*ry/l;
            fa.Px + fb.Px = 0;
            fa.Py + fb.Py = 0;
            fa.M = 0;
            fb.M = 0;
            if taut then "taut"
                rx*(fb.Vmx - fa.Vmx) + ry*(fb.Vmy - fa.Vmy) = 0;
                when fa.contactIn or fb.contactIn then
                else then
                    rx*rx + ry*ry = l*l;
                end when;
            else then "slack"
                f = 0;
                when tightens then
                    /* The rate afterwards, 2*mean - before, is zero. */
                    2*(rx*(fb.Vmx - fa.Vmx) + ry*(fb.Vmy - fa.Vmy)) = Rate_a;
                else then
                    P = 0;
                    Rate_a << rate;
                end when;
            end if;
            tightens << not taut and rx*rx + ry*ry >= l*l and rate > small;
            when tightens then
                taut << true;
            else when taut and f < 0 then
                taut << false;
            end when;
            fa.contactOut << tightens or (taut and fb.contactIn);
            fb.contactOut << tightens or (taut and fa.contactIn);
            Graphics.Line(sx << fa.x, sy << fa.y, dx << fb.x, dy << fb.y);
        end Rope;

        /* A body on a rope: mass m [kg], moment of inertia I [kg.m^2], rope of length l [m] whose
           other end is fa. Three modes follow each other.
           0: the body rests at (x_start, y_start); the rope is slack and becomes taut when fa is l
              away. Then an inelastic impulse along the rope takes the body along.
           1: rope and body swing as one about fa, by the angle phi since the rope became taut.
           2: phi has passed phi_max [rad], the rope is let go, and the body flies.
           No states in mode 0, two in mode 1, six in mode 2. px, py, vx, vy: place and velocity of
           the body. */
        model TornBody
            extends Interfaces.OneFrame;
        interface:
            parameter Real m {unit << "kg"} << 1;
            parameter Real I {unit << "kg.m2"} << 0;
            parameter Real l {unit << "m"} << 1;
            parameter Real phi_max {unit << "rad"} << 3;
            parameter Real x_start {unit << "m"} << 0;
            parameter Real y_start {unit << "m"} << 0;
            parameter Real g {unit << "m/s2"} << 9.81;
            static Integer mode;
            static Real px;
            static Real py;
            static Real vx {unit << "m/s"};
            static Real vy {unit << "m/s"};
            static Real phi {unit << "rad"};
            static Real w {unit << "rad/s"};
        implementation:
            assert(condition = m > 0, message = "the mass m must be positive");
            assert(condition = I >= 0, message = "the moment of inertia I must not be negative");
            assert(condition = l > 0, message = "the length l must be positive");
            assert(condition = phi_max > 0,
                   message = "the angle of release phi_max must be positive");
            static Real sx {unit << "m"};
            static Real sy {unit << "m"};
            static Boolean tightens;
            static Boolean releases;
            static Real We {unit << "rad/s"};
            static Real X;
            static Real Y;
            static Real Phi;
            static Real VX;
            static Real VY;
            static Real W;
            if mode == 0 then "at rest"
                /* At rest. The velocity of fa before the impulse is held in Vax, Vay. */
                static Real ux;
                static Real uy;
                static Real Vax {unit << "m/s"};
                static Real Vay {unit << "m/s"};
                ux = der(x = fa.x);
                uy = der(x = fa.y);
                px = x_start;
                py = y_start;
                vx = 0;
                vy = 0;
                phi = 0;
                w = 0;
                fa.fx = 0;
                fa.fy = 0;
                fa.t = 0;
                fa.M = 0;
                tightens << (px - fa.x)^2 + (py - fa.y)^2 >= l*l;
                when tightens then
                    /* Afterwards fa has the velocity 2*Vm - Va, and the body its part along the
                       rope. */
                    static Real tx;
                    static Real ty;
                    tx = 2*fa.Vmx - Vax;
                    ty = 2*fa.Vmy - Vay;
                    sx << px - fa.x;
                    sy << py - fa.y;
                    fa.Px*sy - fa.Py*sx = 0;
                    fa.Px*sx + fa.Py*sy = m*(tx*sx + ty*sy);
                    We << (ty*sx - tx*sy)/(sx*sx + sy*sy);
                else then
                    fa.Px = 0;
                    fa.Py = 0;
                    Vax << ux;
                    Vay << uy;
                end when;
            else if mode == 1 then "in the sling"
                static Real sx0 {unit << "m"};
                static Real sy0 {unit << "m"};
                /* Velocities of its own: vx and vy still have the values of the resting body. */
                static Real ux;
                static Real uy;
                static Real ax {unit << "m/s2"};
                static Real ay {unit << "m/s2"};
                static Real z {unit << "rad/s2"};
                static Real Wm {unit << "rad/s"};
                static Real Wa {unit << "rad/s"};
                static Real Vax {unit << "m/s"};
                static Real Vay {unit << "m/s"};
                sx0 = cos(phi)*sx + sin(phi)*sy;
                sy0 = cos(phi)*sy - sin(phi)*sx;
                px = fa.x + sx0;
                py = fa.y + sy0;
                ux = der(x = px);
                uy = der(x = py);
                vx = ux;
                vy = uy;
                w = derState(x = phi, start << 0);
                when fa.contactIn then
                    w = 2*Wm - Wa;
                    We << w;
                else then
                    ax = der(x = ux);
                    ay = der(x = uy);
                    z = derState(x = w, start << We);
                    Vax << ux;
                    Vay << uy;
                    Wa << w;
                    tearing(x = z);
                end when;
                tearing(x = Wm);
                fa.fx = m*ax;
                fa.fy - m*g = m*ay;
                fa.t = 0;
                I*z = sx0*fa.fy - sy0*fa.fx;
                fa.Px = 2*m*(fa.Vmx + sy0*Wm - Vax);
                fa.Py = 2*m*(fa.Vmy - sx0*Wm - Vay);
                fa.M = 0;
                2*I*(Wm - Wa) = sx0*fa.Py - sy0*fa.Px;
                X << px;
                Y << py;
                Phi << phi;
                VX << ux;
                VY << uy;
                W << w;
                releases << phi > phi_max;
            else then "flies"
                static Real ax {unit << "m/s2"};
                static Real ay {unit << "m/s2"};
                static Real z {unit << "rad/s2"};
                vx = derState(x = px, start << X);
                vy = derState(x = py, start << Y);
                w = derState(x = phi, start << Phi);
                ax = derState(x = vx, start << VX);
                ay = derState(x = vy, start << VY);
                z = derState(x = w, start << W);
                ax = 0;
                ay = -g;
                z = 0;
                fa.fx = 0;
                fa.fy = 0;
                fa.t = 0;
                fa.Px = 0;
                fa.Py = 0;
                fa.M = 0;
            end if;
            when tightens then
                mode << 1;
            else when releases then
                mode << 2;
            end when;
            fa.contactOut << tightens and mode == 0;
            Graphics.Ellipse{fill << "grey"}
                (sx << px - 0.046*m^(1/3), sy << py - 0.046*m^(1/3),
                 dx << px + 0.046*m^(1/3), dy << py + 0.046*m^(1/3));
            if mode < 2 then "sling"
                Graphics.Line{width << 0.1, colour << "grey"}(sx << fa.x, sy << fa.y, dx << px, dy << py);
            end if;
        end TornBody;
    end Parts;

    package Joints

        /* Fixed in the plane at (x, y) [m] with the angle phi [rad]. */
        model Fixation
            extends Interfaces.OneFrame;
        interface:
            parameter Real x {unit << "m"} << 0;
            parameter Real y {unit << "m"} << 0;
            parameter Real phi {unit << "rad"} << 0;
        implementation:
            fa.x = x;
            fa.y = y;
            fa.phi = phi;
            fa.Vmx = 0;
            fa.Vmy = 0;
            fa.Wm = 0;
            fa.contactOut << false;
        end Fixation;

        /* Hinge without friction: states phi [rad] = fb.phi - fa.phi and its rate w [rad/s]. */
        model Revolute
            extends Interfaces.Hinge;
        interface:
            parameter Real phi_start {unit << "rad"} << 0;
            parameter Real w_start {unit << "rad/s"} << 0;
            static Real w {unit << "rad/s"};
        implementation:
            static Real z {unit << "rad/s2"};
            static Real Wa {unit << "rad/s"};
            static Real We {unit << "rad/s"};
            if initial() then
                We << w_start;
            end if;
            w = derState(x = phi, start << phi_start);
            when fa.contactIn or fb.contactIn then
                w = 2*Wm - Wa;
                We << w;
            else then
                z = derState(x = w, start << We);
                Wa << w;
                tearing(x = z);
            end when;
            tearing(x = Wm);
            fb.t = 0;
            fb.M = 0;
            fa.contactOut << fb.contactIn;
            fb.contactOut << fa.contactIn;
        end Revolute;

        /* The same, but other joints' states come first: for all but the driving hinge of a loop.
           phi_start is a first guess. */
        model PassiveRevolute
            extends Interfaces.Hinge;
        interface:
            parameter Real phi_start {unit << "rad"} << 0;
            static Real w {unit << "rad/s"};
        implementation:
            static Real z {unit << "rad/s2"};
            static Real Wa {unit << "rad/s"};
            w = der(x = phi, start << phi_start);
            when fa.contactIn or fb.contactIn then
                w = 2*Wm - Wa;
            else then
                z = der(x = w);
                Wa << w;
                tearing(x = z);
            end when;
            tearing(x = Wm);
            fb.t = 0;
            fb.M = 0;
            fa.contactOut << fb.contactIn;
            fb.contactOut << fa.contactIn;
        end PassiveRevolute;

        /* Hinge that closes a loop: it has no states. Its place is kept by positions, and in an
           impulse by velocities. It passes no contact signal from one side to the other: both sides
           are heard by their own ways. */
        model LoopRevolute
            extends Interfaces.Rigid;
        implementation:
            fa.t = 0;
            fb.t = 0;
            fa.M = 0;
            fb.M = 0;
            fa.Vmx = fb.Vmx;
            fa.Vmy = fb.Vmy;
            when fa.contactIn or fb.contactIn then
            else then
                fa.x = fb.x;
                fa.y = fb.y;
            end when;
            fa.contactOut << fb.contactIn;
            fb.contactOut << fa.contactIn;
            Graphics.Rectangle{fill << "grey"}
                (sx << fa.x - 0.1, sy << fa.y - 0.1, dx << fa.x + 0.1, dy << fa.y + 0.1);
        end LoopRevolute;

        /* Hinge with stops at phi_min and phi_max [rad]. When phi passes one of them, an inelastic
           impulse ends the motion, and the joint is fixated: phi is constant, two states less. It
           is free again when the stop would have to pull: at phi_min where fa.t < 0, at phi_max
           where fa.t > 0. */
        model LimitedRevolute
            extends Interfaces.Hinge;
        interface:
            parameter Real phi_start {unit << "rad"} << 0;
            parameter Real w_start {unit << "rad/s"} << 0;
            parameter Real phi_min {unit << "rad"} << -1e6;
            parameter Real phi_max {unit << "rad"} << 1e6;
            static Boolean fixated;
            static Boolean contact;
            static Real w {unit << "rad/s"};
        implementation:
            assert(condition = phi_min < phi_max, message = "phi_min must be less than phi_max");
            assert(condition = phi_start >= phi_min and phi_start <= phi_max,
                   message = "phi_start must lie between phi_min and phi_max");
            static Real at;
            static Integer side;
            static Real Wa {unit << "rad/s"};
            static Real We {unit << "rad/s"};
            if initial() then
                We << w_start;
            end if;
            w = derState(x = phi, start << phi_start);
            if fixated then "fixated"
                phi = at;
                Wm = 0;
            else then "free"
                fb.t = 0;
                when contact then
                    w = 0;
                    Wm = 0.5*Wa;
                    We << 0;
                else then
                    fb.M = 0;
                    when fa.contactIn or fb.contactIn then
                        w = 2*Wm - Wa;
                        We << w;
                    else then
                        static Real z {unit << "rad/s2"};
                        z = derState(x = w, start << We);
                        Wa << w;
                        tearing(x = z);
                    end when;
                    tearing(x = Wm);
                end when;
            end if;
            contact << not fixated and ((phi < phi_min and w < -small) or
                                        (phi > phi_max and w > small));
            when contact then
                fixated << true;
                if phi < 0.5*(phi_min + phi_max) then
                    at << phi_min;
                    side << -1;
                else then
                    at << phi_max;
                    side << 1;
                end if;
            else when fixated and side*fa.t > 0 then
                fixated << false;
            end when;
            fa.contactOut << contact or fb.contactIn;
            fb.contactOut << contact or fa.contactIn;
        end LimitedRevolute;

        /* Sliding joint: fb moves from fa along (sx, sy), a unit vector in the frame of fa, by the
           distance s [m], state with its rate v [m/s]. */
        model Prismatic
            extends Interfaces.Rigid;
        interface:
            parameter Real sx {unit << "1"} << 1;
            parameter Real sy {unit << "1"} << 0;
            parameter Real s_start {unit << "m"} << 0;
            parameter Real v_start {unit << "m/s"} << 0;
            static Real s {unit << "m"};
            static Real v {unit << "m/s"};
        implementation:
            assert(condition = sx*sx + sy*sy > 0,
                   message = "the direction (sx, sy) must not be zero");
            static Real a {unit << "m/s2"};
            static Real Va {unit << "m/s"};
            static Real Ve {unit << "m/s"};
            static Real Vm {unit << "m/s"};
            static Real sx0 {unit << "1"};
            static Real sy0 {unit << "1"};
            if initial() then
                Ve << v_start;
            end if;
            v = derState(x = s, start << s_start);
            when fa.contactIn or fb.contactIn then
                v = 2*Vm - Va;
                Ve << v;
            else then
                a = derState(x = v, start << Ve);
                Va << v;
                tearing(x = a);
            end when;
            tearing(x = Vm);
            sx0 = cos(fa.phi)*sx + sin(fa.phi)*sy;
            sy0 = cos(fa.phi)*sy - sin(fa.phi)*sx;
            fb.x = fa.x + s*sx0;
            fb.y = fa.y + s*sy0;
            fb.phi = fa.phi;
            fb.fx*sx0 + fb.fy*sy0 = 0;
            fa.t + fb.t + s*(sy0*fb.fx - sx0*fb.fy) = 0;
            fb.Vmx = fa.Vmx + s*sy0*fa.Wm + sx0*Vm;
            fb.Vmy = fa.Vmy - s*sx0*fa.Wm + sy0*Vm;
            fb.Wm = fa.Wm;
            fb.Px*sx0 + fb.Py*sy0 = 0;
            fa.M + fb.M + s*(sy0*fb.Px - sx0*fb.Py) = 0;
            fa.contactOut << fb.contactIn;
            fb.contactOut << fa.contactIn;
            Graphics.Line(sx << fa.x, sy << fa.y, dx << fb.x, dy << fb.y);
            Graphics.Rectangle{fill << "grey"}
                (sx << fb.x - 0.05, sy << fb.y - 0.05, dx << fb.x + 0.05, dy << fb.y + 0.05);
        end Prismatic;

        /* Hinge that breaks where its force exceeds f_max [N] or where `cut`, set by the model
           around, becomes true. Before: two states, phi and w. Afterwards fb is free, with six
           states, and fa too, and nothing passes between them any more. The part of the mechanism
           behind fb must be a tree that has no other joint to the ground. */
        model BreakingRevolute
            extends Interfaces.TwoFrames;
        interface:
            parameter Real phi_start {unit << "rad"} << 0;
            parameter Real w_start {unit << "rad/s"} << 0;
            parameter Real f_max {unit << "N"} << 1e30;
            static Boolean cut;
            static Boolean broken;
        implementation:
            assert(condition = f_max >= 0, message = "the force f_max must not be negative");
            static Real X;
            static Real Y;
            static Real Phi;
            static Real Vex {unit << "m/s"};
            static Real Vey {unit << "m/s"};
            static Real We {unit << "rad/s"};
            if initial() then
                We << w_start;
            end if;
            if broken then "broken"
                static Real vx {unit << "m/s"};
                static Real vy {unit << "m/s"};
                static Real w {unit << "rad/s"};
                static Real Vax {unit << "m/s"};
                static Real Vay {unit << "m/s"};
                static Real Wa {unit << "rad/s"};
                vx = derState(x = fb.x, start << X);
                vy = derState(x = fb.y, start << Y);
                w = derState(x = fb.phi, start << Phi);
                when fb.contactIn then
                    vx = 2*fb.Vmx - Vax;
                    vy = 2*fb.Vmy - Vay;
                    w = 2*fb.Wm - Wa;
                    Vex << vx;
                    Vey << vy;
                    We << w;
                else then
                    static Real ax {unit << "m/s2"};
                    static Real ay {unit << "m/s2"};
                    static Real z {unit << "rad/s2"};
                    ax = derState(x = vx, start << Vex);
                    ay = derState(x = vy, start << Vey);
                    z = derState(x = w, start << We);
                    Vax << vx;
                    Vay << vy;
                    Wa << w;
                end when;
                fa.fx = 0;
                fa.fy = 0;
                fa.t = 0;
                fb.fx = 0;
                fb.fy = 0;
                fb.t = 0;
                fa.Px = 0;
                fa.Py = 0;
                fa.M = 0;
                fb.Px = 0;
                fb.Py = 0;
                fb.M = 0;
                fa.contactOut << false;
                fb.contactOut << false;
            else then "whole"
                static Real phi {unit << "rad"};
                static Real w {unit << "rad/s"};
                static Real Wm {unit << "rad/s"};
                static Real Wa {unit << "rad/s"};
                w = derState(x = phi, start << phi_start);
                when fa.contactIn or fb.contactIn then
                    w = 2*Wm - Wa;
                    We << w;
                else then
                    static Real z {unit << "rad/s2"};
                    z = derState(x = w, start << We);
                    Wa << w;
                    tearing(x = z);
                end when;
                tearing(x = Wm);
                fa.x = fb.x;
                fa.y = fb.y;
                fa.phi + phi = fb.phi;
                fa.Vmx = fb.Vmx;
                fa.Vmy = fb.Vmy;
                fa.Wm + Wm = fb.Wm;
                fa.fx + fb.fx = 0;
                fa.fy + fb.fy = 0;
                fa.Px + fb.Px = 0;
                fa.Py + fb.Py = 0;
                fa.t = 0;
                fb.t = 0;
                fa.M = 0;
                fb.M = 0;
                fa.contactOut << fb.contactIn;
                fb.contactOut << fa.contactIn;
            end if;
            when not broken and (cut or fa.fx*fa.fx + fa.fy*fa.fy > f_max*f_max) then
                broken << true;
                X << fb.x;
                Y << fb.y;
                Phi << fb.phi;
                Vex << der(x = fb.x);
                Vey << der(x = fb.y);
                We << der(x = fb.phi);
            end when;
            Graphics.Rectangle{fill << "grey"}
                (sx << fb.x - 0.1, sy << fb.y - 0.1, dx << fb.x + 0.1, dy << fb.y + 0.1);
        end BreakingRevolute;

        /* A point above a smooth floor at y = 0. When it meets the floor, it leaves with e times
           its speed, or rests there if that is less than v_rest [m/s]; then the floor carries it
           (fa.fy < 0) as long as it has to push. mode 0: in the air, 1: at rest on the floor. A
           point at rest stays so in an impulse elsewhere on its body, which is right for bodies
           wider than high. */
        model Floor
            extends Interfaces.OneFrame;
        interface:
            parameter Real e << 0.5;
            parameter Real v_rest << 0.01;
            static Integer mode;
        implementation:
            assert(condition = e >= 0 and e <= 1,
                   message = "the coefficient of restitution e must lie between 0 and 1");
            assert(condition = v_rest >= 0, message = "the speed v_rest must not be negative");
            static Real vy {unit << "m/s"};
            static Boolean contact;
            vy = der(x = fa.y);
            fa.fx = 0;
            fa.t = 0;
            fa.Px = 0;
            fa.M = 0;
            if mode == 0 then "in the air"
                static Real Vay {unit << "m/s"};
                fa.fy = 0;
                contact << fa.y < 0 and vy < -small;
                when contact then
                    if e*Vay > -v_rest then
                        fa.Vmy = 0.5*Vay;
                    else then
                        2*fa.Vmy = (1 - e)*Vay;
                    end if;
                else then
                    fa.Py = 0;
                    Vay << vy;
                end when;
            else then "on the floor"
                contact << false;
                fa.Vmy = 0;
                when fa.contactIn then
                else then
                    fa.y = 0;
                end when;
            end if;
            when contact and e*vy > -v_rest then
                mode << 1;
            else when mode == 1 and fa.fy > 0 then
                mode << 0;
            end when;
            fa.contactOut << contact;
        end Floor;
    end Joints;

    package Examples

        /* A trebuchet: an arm of 12.5 m on a pivot, a counterweight on a limited hinge, and a
           projectile that lies on the ground until its rope is taut, is swung round and let go.
           Number of states: 4, in the impulse of the rope 2, then 6; 10 after the release; in the
           impulse of the counterweight's stop 8, then 8, and 10 again as the stop lets go. */
        model Trebuchet
        interface:
            static Joints.Fixation F{x << 0, y << 9};
            static Joints.Revolute R1{phi_start << -1.1};
            static Parts.Translation short{sx << 2.5, sy << 0};
            static Parts.Translation long{sx << -10, sy << 0};
            static Parts.Body tip{m << 100, I << 10};
            static Joints.LimitedRevolute R2{phi_min << -3.8};
            static Parts.Translation arm{sx << -2, sy << -1.5};
            static Parts.Body weight{m << 10000, I << 12000};
            static Parts.TornBody projectile{m << 30, I << 2, l << 7, phi_max << 3.6,
                                             x_start << -1, y_start << 0};
        implementation:
            connection{a << F.fa, b << R1.fa};
            F.fa.contactIn << R1.fa.contactOut;
            R1.fa.contactIn << F.fa.contactOut;

            connection{a << R1.fb, b << short.fa};
            connection{a << R1.fb, b << long.fa};
            R1.fb.contactIn << short.fa.contactOut or long.fa.contactOut;
            short.fa.contactIn << R1.fb.contactOut or long.fa.contactOut;
            long.fa.contactIn << R1.fb.contactOut or short.fa.contactOut;

            connection{a << long.fb, b << tip.fa};
            connection{a << long.fb, b << projectile.fa};
            long.fb.contactIn << tip.fa.contactOut or projectile.fa.contactOut;
            tip.fa.contactIn << long.fb.contactOut or projectile.fa.contactOut;
            projectile.fa.contactIn << long.fb.contactOut or tip.fa.contactOut;

            connection{a << short.fb, b << R2.fa};
            short.fb.contactIn << R2.fa.contactOut;
            R2.fa.contactIn << short.fb.contactOut;

            connection{a << R2.fb, b << arm.fa};
            R2.fb.contactIn << arm.fa.contactOut;
            arm.fa.contactIn << R2.fb.contactOut;

            connection{a << arm.fb, b << weight.fa};
            arm.fb.contactIn << weight.fa.contactOut;
            weight.fa.contactIn << arm.fb.contactOut;

            Graphics.Ground{unit << "m"}(y << 0);
            Graphics.Line{width << 0.3, colour << "brown"}(sx << -3.5, sy << 0, dx << 0, dy << 9);
            Graphics.Line{width << 0.3, colour << "brown"}(sx << 3.5, sy << 0, dx << 0, dy << 9);
            Graphics.Line{width << 0.2, colour << "brown"}(sx << -2.3, sy << 3, dx << 2.3, dy << 3);
        end Trebuchet;

        /* A pendulum of length 1 m that starts at 45 degrees and breaks off after 5 s. Positive
           angles turn clockwise, so the bob begins at phi = -pi/4 on the right. */
        model BreakingPendulum
        interface:
            parameter Real t_break {unit << "s"} << 5;
            static Joints.Fixation F;
            static Joints.BreakingRevolute R{phi_start << -0.7853981633974483};
            static Parts.Translation rod{sx << 0, sy << -1};
            static Parts.Body bob{m << 1, I << 1e-9};
        implementation:
            R.cut << time >= t_break;
            connection{a << F.fa, b << R.fa};
            F.fa.contactIn << R.fa.contactOut;
            R.fa.contactIn << F.fa.contactOut;
            connection{a << R.fb, b << rod.fa};
            R.fb.contactIn << rod.fa.contactOut;
            rod.fa.contactIn << R.fb.contactOut;
            connection{a << rod.fb, b << bob.fa};
            rod.fb.contactIn << bob.fa.contactOut;
            bob.fa.contactIn << rod.fb.contactOut;
        end BreakingPendulum;

        /* Two pendulums in a row. */
        model DoublePendulum
        interface:
            static Joints.Fixation F;
            static Joints.Revolute R1{phi_start << 1.5};
            static Parts.Translation rod1{sx << 0, sy << -1};
            static Parts.Body bob1{m << 1, I << 0.1};
            static Joints.Revolute R2{phi_start << 0.5};
            static Parts.Translation rod2{sx << 0, sy << -1};
            static Parts.Body bob2{m << 1, I << 0.1};
        implementation:
            connection{a << F.fa, b << R1.fa};
            connection{a << R1.fb, b << rod1.fa};
            connection{a << rod1.fb, b << bob1.fa};
            connection{a << rod1.fb, b << R2.fa};
            connection{a << R2.fb, b << rod2.fa};
            connection{a << rod2.fb, b << bob2.fa};
        end DoublePendulum;

        /* Four-bar linkage: crank 1 m, coupler 2 m, rocker 1.5 m between fixations 2 m apart. The
           crank's hinge has the states, two others give way, the fourth closes the loop. The bars
           have their masses at their ends. */
        model FourBar
        interface:
            static Joints.Fixation F1;
            static Joints.Fixation F2{x << 2};
            static Joints.Revolute R1{phi_start << -1.2, w_start << -3};
            static Parts.Translation crank{sx << 1, sy << 0};
            static Parts.Body B1{m << 2, I << 0.2};
            static Joints.PassiveRevolute R2{phi_start << 0.92658611054};
            static Parts.Translation coupler{sx << 2, sy << 0};
            static Parts.Body B2{m << 1, I << 0.1};
            static Joints.LoopRevolute R3;
            static Parts.Translation rocker{sx << 0, sy << 1.5};
            static Joints.PassiveRevolute R4{phi_start << 0.193245262823};
        implementation:
            connection{a << F1.fa, b << R1.fa};
            F1.fa.contactIn << R1.fa.contactOut;
            R1.fa.contactIn << F1.fa.contactOut;
            connection{a << R1.fb, b << crank.fa};
            R1.fb.contactIn << crank.fa.contactOut;
            crank.fa.contactIn << R1.fb.contactOut;
            connection{a << crank.fb, b << B1.fa};
            connection{a << crank.fb, b << R2.fa};
            crank.fb.contactIn << B1.fa.contactOut or R2.fa.contactOut;
            B1.fa.contactIn << crank.fb.contactOut or R2.fa.contactOut;
            R2.fa.contactIn << crank.fb.contactOut or B1.fa.contactOut;
            connection{a << R2.fb, b << coupler.fa};
            R2.fb.contactIn << coupler.fa.contactOut;
            coupler.fa.contactIn << R2.fb.contactOut;
            connection{a << coupler.fb, b << B2.fa};
            connection{a << coupler.fb, b << R3.fa};
            coupler.fb.contactIn << B2.fa.contactOut or R3.fa.contactOut;
            B2.fa.contactIn << coupler.fb.contactOut or R3.fa.contactOut;
            R3.fa.contactIn << coupler.fb.contactOut or B2.fa.contactOut;
            connection{a << F2.fa, b << R4.fa};
            F2.fa.contactIn << R4.fa.contactOut;
            R4.fa.contactIn << F2.fa.contactOut;
            connection{a << R4.fb, b << rocker.fa};
            R4.fb.contactIn << rocker.fa.contactOut;
            rocker.fa.contactIn << R4.fb.contactOut;
            connection{a << rocker.fb, b << R3.fb};
            rocker.fb.contactIn << R3.fb.contactOut;
            R3.fb.contactIn << rocker.fb.contactOut;
        end FourBar;

        /* A block, 1 m wide and 0.2 m high, falls on one of its lower corners, bounces and comes to
           rest. */
        model BouncingBlock
        interface:
            static Parts.FreeBody block{m << 1, I << 0.0866, y_start << 1, phi_start << 0.2};
            static Parts.Translation left{sx << -0.5, sy << -0.1};
            static Parts.Translation right{sx << 0.5, sy << -0.1};
            static Joints.Floor floor1;
            static Joints.Floor floor2;
        implementation:
            connection{a << block.fa, b << left.fa};
            connection{a << block.fa, b << right.fa};
            block.fa.contactIn << left.fa.contactOut or right.fa.contactOut;
            left.fa.contactIn << block.fa.contactOut or right.fa.contactOut;
            right.fa.contactIn << block.fa.contactOut or left.fa.contactOut;
            connection{a << left.fb, b << floor1.fa};
            left.fb.contactIn << floor1.fa.contactOut;
            floor1.fa.contactIn << left.fb.contactOut;
            connection{a << right.fb, b << floor2.fa};
            right.fb.contactIn << floor2.fa.contactOut;
            floor2.fa.contactIn << right.fb.contactOut;
        end BouncingBlock;

        /* A ball on a rope: it falls freely until the rope is taut, swings, and falls again
           where the rope goes slack. */
        model BallOnRope
        interface:
            static Joints.Fixation F;
            static Parts.Rope rope{l << 1};
            static Parts.FreeBody ball{m << 2, I << 0.1, x_start << 0.6, w_start << 1};
        implementation:
            connection{a << F.fa, b << rope.fa};
            F.fa.contactIn << rope.fa.contactOut;
            rope.fa.contactIn << F.fa.contactOut;
            connection{a << rope.fb, b << ball.fa};
            rope.fb.contactIn << ball.fa.contactOut;
            ball.fa.contactIn << rope.fb.contactOut;
        end BallOnRope;

        /* A slider on a rail with a pendulum below it, pulled back by a spring. */
        model Crane
        interface:
            static Joints.Fixation F;
            static Joints.Prismatic rail{sx << 1, sy << 0, s_start << 0.5};
            static Parts.Body slider{m << 2, I << 0.1};
            static Joints.Revolute R{phi_start << 0.3};
            static Parts.Translation rod{sx << 0, sy << -1};
            static Parts.Body load{m << 1, I << 0.05};
            static Joints.Fixation post{x << -1};
            static Parts.SpringDamper spring{c << 50, l_0 << 1};
        implementation:
            connection{a << F.fa, b << rail.fa};
            F.fa.contactIn << rail.fa.contactOut;
            rail.fa.contactIn << F.fa.contactOut;
            connection{a << rail.fb, b << slider.fa};
            connection{a << rail.fb, b << R.fa};
            connection{a << rail.fb, b << spring.fb};
            rail.fb.contactIn << slider.fa.contactOut or R.fa.contactOut or spring.fb.contactOut;
            slider.fa.contactIn << rail.fb.contactOut or R.fa.contactOut or spring.fb.contactOut;
            R.fa.contactIn << rail.fb.contactOut or slider.fa.contactOut or spring.fb.contactOut;
            spring.fb.contactIn << rail.fb.contactOut or slider.fa.contactOut or R.fa.contactOut;
            connection{a << R.fb, b << rod.fa};
            R.fb.contactIn << rod.fa.contactOut;
            rod.fa.contactIn << R.fb.contactOut;
            connection{a << rod.fb, b << load.fa};
            rod.fb.contactIn << load.fa.contactOut;
            load.fa.contactIn << rod.fb.contactOut;
            connection{a << post.fa, b << spring.fa};
            post.fa.contactIn << spring.fa.contactOut;
            spring.fa.contactIn << post.fa.contactOut;
        end Crane;
    end Examples;
end Planar;
