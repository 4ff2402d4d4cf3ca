// Something of everything a page shows: an if that chooses twice, a variable that lives in a branch,
// a branch with a name, a when, a parameter, output, and shapes that move; one of them is gone for
// a while, the other has a name of its own.
package Show

    model Arm
    interface:
        parameter Real length << 2;
        static Real phi;
        static Real turns;
    implementation:
        der(x=phi, start<<0) = 2;
        if turns < 0.5 then
            static Real inside;
            inside = 3*phi;
            Graphics.Line(sx << 0, sy << 0, dx << length*cos(phi), dy << length*sin(phi));
        else if turns < 0.8 then "half way"
            static Real empty;
            empty = 1;
        else then "round"
            Graphics.Line(sx << 0, sy << 0, dx << length*cos(phi), dy << length*sin(phi));
        end if;
        turns = phi/6;
        static Graphics.Ellipse hub;
        hub.sx << cos(phi) - 0.2;
        hub.sy << -0.2;
        hub.dx << cos(phi) + 0.2;
        hub.dy << 0.2;
    end Arm;

    model Top
    interface:
        static Real x;
    implementation:
        static Arm arm{length << 3};
        x = arm.phi;
        static String told;
        when arm.phi > 1 then
            told << "a </script><!-- b";
        end when;
        cout << told;
    end Top;
end Show;
