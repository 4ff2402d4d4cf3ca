"""Writes models whose size is a number: the ladder that grows, and top models that set a size.

    generate.py ladder MODES [FILE]     see perf/baselines/ladder.c for the equations
    generate.py top DESIGNATOR NAME=VALUE ... [FILE.sol]
"""
import sys

COMPONENTS = 200  # a mode; source and ground are two of the first

PARTS = """/* Written by generate.py: {modes} modes of Hydra's growing circuit. Five variables a component. */
package Parts

    connector Pin
    interface:
        static potential Real u;
        static flow Real i;
    end Pin;

    partial model TwoPins
    interface:
        static Pin p;
        static Pin n;
        static Real u;
    implementation:
        u = p.u - n.u;
        p.i + n.i = 0;
    end TwoPins;

    model Source
        extends TwoPins;
    implementation:
        u = sin(6.283185307179586*time);
    end Source;

    model Ground
    interface:
        static Pin p;
    implementation:
        p.u = 0;
    end Ground;

    model Resistor
        extends TwoPins;
    implementation:
        u = 0.02*p.i;
    end Resistor;

    model Inductor
        extends TwoPins;
    implementation:
        u = 0.1*der(x = p.i, start << 0);
    end Inductor;

    /* To ground. */
    model Capacitor
        extends TwoPins;
    implementation:
        n.u = 0;
        p.i = 0.1*der(x = u, start << 0);
    end Capacitor;
end Parts;
"""


def sections_in_mode(mode):
    return (COMPONENTS*mode - 2)//3


def stage(mode, modes):
    """The sections that mode `mode` adds, from pin p on, and the branch with the next ones."""
    first = sections_in_mode(mode - 1) + 1 if mode > 1 else 1
    last = sections_in_mode(mode)
    lines = [f"\nmodel Stage{mode}", "interface:", "    static Parts.Pin p;",
             f"    static Parts.Capacitor C{last};", f"    static Parts.Resistor R{first};"]
    if mode == 1:
        lines.append("    static Real u66;")
    lines.append("implementation:")
    if mode == 1:
        lines.append(f"    u66 = C{last}.u;")
    before = "p"
    for k in range(first, last + 1):
        if k != first:
            lines.append(f"    static Parts.Resistor R{k};")
        lines.append(f"    static Parts.Inductor L{k};")
        if k != last:
            lines.append(f"    static Parts.Capacitor C{k};")
        lines += [f"    connection{{a << {before}, b << R{k}.p}};",
                  f"    connection{{a << R{k}.n, b << L{k}.p}};",
                  f"    connection{{a << L{k}.n, b << C{k}.p}};"]
        before = f"C{k}.p"
    if mode < modes:
        lines += [f"    if time >= {10*mode} then",
                  f"        static Stage{mode + 1} next;",
                  f"        connection{{a << C{last}.p, b << next.p}};",
                  "    end if;"]
    lines.append(f"end Stage{mode};")
    return "\n".join(lines)


def ladder(modes):
    top = """
model Ladder
interface:
    static Real i;
    static Stage1 line;
implementation:
    static Parts.Source U;
    static Parts.Ground G;
    connection{a << G.p, b << U.n};
    connection{a << U.p, b << line.p};
    i = line.R1.p.i;
end Ladder;
"""
    stages = [stage(m, modes) for m in range(modes, 0, -1)]
    return PARTS.format(modes=modes) + "\n".join(stages) + "\n" + top


def top(designator, settings):
    """A model that declares `designator` as its member m, with parameters as given."""
    values = ", ".join(f"{name} << {value}" for name, value in settings.items())
    return (f"model Top\ninterface:\n    static {designator} m" +
            (f"{{{values}}}" if values else "") + ";\nend Top;\n")


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == "ladder":
        text, file = ladder(int(arguments[1])), arguments[2:3]
    elif len(arguments) >= 2 and arguments[0] == "top":
        settings = dict(a.split("=", 1) for a in arguments[2:] if "=" in a)
        text, file = top(arguments[1], settings), [a for a in arguments[2:] if "=" not in a]
    else:
        sys.exit(__doc__)
    if file:
        with open(file[0], "w", encoding="utf-8") as out:
            out.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
