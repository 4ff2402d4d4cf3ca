/* event_known.h: small event models that were once run otherwise than the rules say, each with what
 * it is about. test_event_rules.c runs them before the random ones. */
#ifndef TESTS_EVENT_KNOWN_H
#define TESTS_EVENT_KNOWN_H

#define TOP(decls, body) "model Top interface: " decls " implementation: " body " end Top;"

static const char *const event_known[] = {
    /* two transmissions to one variable are a mistake, also where conditions could take turns */
    TOP("static Boolean b3; static Real x4;",
        "when Sample(interval = 0.75) and (time >= 0.5) then x4 << 3.75;"
        "else then b3 = time >= 0.75; end when;"
        "when b3 or (time >= 0.75) then x4 << 3.0; end when;"),
    /* U1: a part that compares the time comes to the event before what it reads changes */
    TOP("static Integer n0; static Real x1;",
        "if time >= 0.75 then n0 << 4; else then n0 << 1; end if;"
        "if (n0 < 2) and (time >= 0.25) then x1 << n0; end if;"),
    TOP("static Integer n1; static Boolean b2;",
        "if (n1 == 2) or (time >= 2.75) then b2 << n1 < 3; end if;"
        "when Sample(interval = 0.25) then n1 << 1 + pre(n1); end when;"
        "when not (b2) then end when;"),
    /* U2: what was taken back to the left side of an event is due in the next update */
    TOP("static Boolean b2;", "when b2 or (time >= 1.75) then end when;"
                              "if time < 1.75 then b2 << false; end if;"),
    TOP("static Real x0;",
        "if time < 2.0 then x0 << 1.0; end if;"
        "if (time >= 2.0) or (x0 > 1.125) then end if;"
        "if time >= 1.25 then when Sample(interval = 0.75) then end when; end if;"),
    /* U2: a condition that returns with an else branch reads what nobody needed meanwhile */
    TOP("static Boolean b0; static Boolean b4;",
        "if time < 1.25 then b0 = time >= 1.0; else then b0 = time >= 1.75; end if;"
        "b4 = b0;"
        "when Sample(interval = 1.25) then else when not (b4) then end when;"),
    /* U1, U3: an `if` born in a branch waits for the conditions around */
    TOP("static Boolean b3;",
        "if not (b3) then if true then end if;"
        "else then when Sample(interval = 0.5) then b3 << false; end when; end if;"
        "when not (b3) then if true then b3 << true; end if; end when;"),
    TOP("static Boolean b0; static Boolean b1;",
        "if time < 3.5 then b1 = true;"
        "else then b1 = b0; when true then if true then b0 << true; end if; end when; end if;"
        "if b1 then else if false then end if;"),
    /* U3: what stands in a branch waits with its condition */
    TOP("static Real x0; static Integer n2;",
        "if not (initial()) then if false then else then x0 << 1.75; end if; end if;"
        "if x0 < 0.625 then n2 = 4; else then n2 = 0; end if;"
        "if not (initial()) then if n2 >= 2 then end if; end if;"),
    /* U3: what an equation of an undecided `if` may determine is waited for */
    TOP("static Integer n0;", "if initial() then n0 = 2; else if true then n0 = 1; end if;"
                              "when true then if n0 >= 2 then end if; end when;"),
    /* U1: what was evaluated before a birth turned its condition gets its value back */
    TOP("static Real x0; static Boolean b2; static Real x4;",
        "when true then x0 << 3.5; end when;"
        "if not (initial()) then if false then else then b2 = true; end if;"
        "  when true then x0 << pre(x4); end when;"
        "else then b2 = false; end if;"
        "if b2 then x4 = 1; else then x4 = x0; end if;"),
    /* U1: a pulse is computed again when a birth brings what it needs */
    TOP("static Integer n0; static Real x1; static Real x2; static Boolean b4;",
        "when Sample(interval = 1.25) then if false then else then n0 << 1; end if;"
        "else then n0 << 4; end when;"
        "if b4 and (n0 > 2) then x1 << n0; end if;"
        "when time >= 1.25 then x2 << x1; end when;"
        "if true then b4 << true; end if;"),
    /* U2, U3: what only an undecided `if` may determine is left alone, but for a pulse */
    TOP("static Integer n2; static Boolean b4; static Boolean b5;",
        "when true then n2 << 1; end when;"
        "if n2 == 0 then if initial() then else if false then b4 << true; end if; end if;"
        "if initial() then else then when not (b4) then end when;"
        "  when true then b5 << not (b4); end when; end if;"),
    /* impulses: a held variable whose transmission reads what nothing determines */
    TOP("static Boolean b0; static Boolean b1;",
        "when true then else then b0 = true; end when;"
        "b1 << b0; if initial() then else if b1 then end if;"),
    /* impulses: what follows from a pulse, with the same value as before */
    "model P interface: static Integer u; parameter Integer m; static Integer n0; static Integer "
    "n1;"
    "implementation: when true then n0 << u; end when; n1 = 1 - n0; end P;" TOP(
        "static Real x0; static Boolean b1; static P c2{m << 1}; static Integer n5;",
        "c2.u = 4;"
        "when true then else then x0 = 0.25; end when;"
        "if (x0 < 2.875) and false then else then b1 << false; end if;"
        "if not (b1) then static P q7{m << 2}; n5 = c2.n1 + c2.n0; q7.u = c2.n1 + n5; end if;"),
    /* pre of what nobody looked at */
    TOP("static Boolean b1; static Boolean b3;",
        "when time >= 2.5 then if false then else then b1 << pre(b3); end if; end when;"
        "if time >= 2.5 then b3 = time >= 2.0; else then b3 = false; end if;"),
    TOP("static Boolean b1; static Boolean b3;",
        "if time >= 1.75 then b1 = time >= 1.5; else then b1 = time >= 2.75; end if;"
        "b3 = b1;"
        "if time >= 0.25 then static Boolean b6;"
        "  when Sample(interval = 0.5) then if true then b6 << not (pre(b3)); end if; end when;"
        "end if;"),
    /* updates without end: no search of modes where nothing moves */
    TOP("static Boolean b0; static Real x2;",
        "if not (b0) then x2 = 0.0;"
        "else then x2 = 3.5; when true then b0 << false; end when; end if;"
        "when x2 < 1.625 then b0 << time < 0.75; end when;"),
    /* what a `when` transmits of the clock is taken back when modes are searched */
    TOP("static Boolean b0;", "when b0 and (time >= 0.5) then b0 << time >= 1.5;"
                              "else when not (b0) then b0 << true; end when;"),
    /* pre in a condition inside a `when`: it does not make the content need what it reads */
    TOP("static Boolean b0; static Boolean b1;",
        "when true then if pre(b1) then else then b0 << true; end if; end when;"
        "if not (b0) then b1 << b0; end if;"),
    /* U1: what acts reads what is newborn, and follows from a branch that is left alone */
    "model P0 interface: static Real u; static Real x1; implementation: x1 = u + 1.0; end P0;" TOP(
        "static Real x2; dynamic P0 p3; static Real x4;",
        "p3.u = x2; if p3? then x2 = 0.25; else then x2 = 3.75; end if;"
        "if initial() then x4 << 0.25; end if;"
        "when time >= 0.5 then x4 << pre(x4) - p3.x1; p3 <- P0{}; end when;"),
    /* U3: a newborn `if` reads what stands in a branch whose condition waits for a new state */
    "model P0 interface: static Boolean u; parameter Integer m; static Real x0;"
    "implementation: if u then x0 = 3.75; else then x0 = 0.75; end if; end P0;" TOP(
        "dynamic P0 p0; static Real x2; static Boolean b3;",
        "p0.u = true;"
        "if initial() then else then static P0 q6{m << 3}; q6.u = b3; end if;"
        "when true then x2 << p0.x0; p0 <- P0{m << 1}; end when;"
        "if x2 > 0.875 then b3 = false; else then b3 = false; end if;"),
    /* impulses: what stands in a branch whose condition nothing determines meanwhile, also where it is a loop */
    TOP("static Boolean b0; static Real x1;",
        "when Sample(interval = 0.75) then else then b0 = time >= 1.5; end when;"
        "if b0 then x1 = 3.25; else then x1 = 0.25; end if;"
        "if x1 < 1.625 then end if;"),
    /* b1 has its value again when a birth is decided, so b2 follows in the same update */
    TOP("static Integer n0; static Boolean b1; static Boolean b2;",
        "when true then else then n0 = 3; end when;"
        "if initial() then b1 = false; else if false then else then b1 = time >= 1.5; end if;"
        "if n0 <> 3 then else then b2 = b1; end if;"
        "if initial() then else then when not (b2) then end when; end if;"),
};

#undef TOP

#endif
