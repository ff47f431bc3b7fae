# Entry-forward summaries: only from entries that are reached.
# Section 4.2 of "Analyzing Recursive Programs using a Fixed-point Calculus" (PLDI 2009), with
# the last clause divided in two, and the early end of its appendix.

# SummaryEF(u, v): the entry state u is reached, v is a state of the same procedure, and from u
# the program comes to v with all calls in between returned. Once a target is in it, it holds
# everywhere, so that nothing more is computed.
mu SummaryEF(u: State, v: State) =
    # the early end: a target is reached
    (exists s, t: State. (SummaryEF(s, t) & Target(t.pc)))
    # at the start, nothing has happened yet
  | (Entry(u.pc) & u = v & Init(u.pc))
    # one more step inside of the procedure
  | (exists x: State. (SummaryEF(u, x) & ProgramInt(x, v)))
    # into a call: the callee's summaries begin at its own entry
  | (exists x, y: State. (SummaryEF(x, y) & IntoCall(y, u) & u = v))
    # over a call: x is at the call, y at the callee's entry, z at its exit
  | (exists c, e: PC, y: State.
        # what the caller knows: its point c, the exit e of the callee, what it passes (y),
        # and the locals that are no targets
        ((exists x: State. (SummaryEF(u, x) & ReturnA(x, e, v) & IntoCall(x, y) & c = x.pc))
        # what the callee knows: its summary from y to its exit, globals and targets
        & (exists z: State. (SummaryEF(y, z) & e = z.pc & Exit(z.pc) & ReturnB(c, z, v)))));

# A target is reached.
query reach = exists u, v: State. (SummaryEF(u, v) & Target(v.pc));
