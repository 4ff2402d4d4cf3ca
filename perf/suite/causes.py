"""Why a figure that must hold is missed: a sentence or two each, from profiles of our side.

Looked at on 2026-11-17; the section "Where the time goes" of a report has the profiles of its own
runs. Whoever removes a cause removes its sentence.
"""

RESTART = """All life forms share the tank, so the part is the whole model, and each of thousands of events
restarts it: sweeps over all states and comparisons, IDA's start with a new pattern, patches of the tape and
now and then a new one (a tenth of the processor's time at 300 litres); a birth itself makes 27 relations, by hand
four numbers."""

TWO_NUMBERS = """The program by hand knows that nutrition does not depend on the energies: it integrates
two numbers and sweeps once over the rest."""

COLD = """The number of relations visited at an event hardly grows; what grows is the time for each, as
the model leaves the caches, and the path from a life form to the root of their tree."""

TEXTS = {
    "static total": """Output: at each of the 10,000 points all states are interpolated and the whole
        model is evaluated, though two variables are written; the integration alone takes less than
        the hand-written program's whole run.""",
    "population total ida": RESTART,
    "population total rk": RESTART + " " + TWO_NUMBERS,
    "population total euler": """Most of it is the structure itself: a birth makes 27 relations, by hand
        four numbers. """ + TWO_NUMBERS,
    "population exponent": """What is done for the whole model after each step with an event (sweeps over
        states and comparisons) is done more often in larger tanks: 74 of 1,200 steps have events at 10
        litres, 321 at 100, 568 at 1,000.""",
    "population structure ida": """The part, which is the whole model, is brought to the time of the
        event: one evaluation of all relations, for some 27 that change. """ + COLD,
    "population structure euler": COLD,
    "population share": """Births and deaths are most of what happens here: a birth makes 27 relations
        and visits some 300, and between two events there are five steps (ida) or four (euler), each
        of them one sweep.""",
    "population memory": """Below 300,000 relations the process itself counts (8 MB, with LLVM
        loaded 60 more), and arrays that have just grown. Of the rest a life form's values, nodes and relations
        are half; plans and members of the tape a quarter; 2 % are the texts of the triggers listed for this
        report.""",
    "switch structure": """The same work (11 relations visited, one block made, 20 nodes touched) finds
        cold caches in a larger model: between two switchings all other parts took their steps. Its time
        no longer grows once nothing is left in the caches (100,000 and 1,000,000 relations take the
        same); its profile is flat, code as much as data, and large pages change nothing.""",
    "seen": """Half of it is the commit of the causality and what follows it (values_commit 26 %,
        ddp_commit 13 % of the whole run): 182 or 325 relations are visited to exchange three; then
        allocations (8 %).""",
}

CAUSES = {key: " ".join(text.split()) for key, text in TEXTS.items()}
