# Optimised entry-forward summaries: each round works on the points where the last one found
# something, and closes them under internal steps.
# Section 4.3 of "Analyzing Recursive Programs using a Fixed-point Calculus" (PLDI 2009). Not
# monotone: rounds are computed exactly as they are written. Clause 7 begins a callee's summary
# at its own entry, and clauses 8 and 9 look at all that was found.

# SummaryEFopt(1, u, v): u is an entry state that is reached, and from it the program comes to v
# in the same procedure with all calls in between returned. With 0: so it was a round before.
mu SummaryEFopt(fr: bool, u: State, v: State) =
    # 1: the start is found in every round, and is new in the first
    (fr = 1 & Entry(u.pc) & u = v & Init(u.pc))
    # 2: what was found stays, and is marked as not new
  | SummaryEFopt(1, u, v)
    # 3: what this round finds
  | (fr = 1 & (New1(u, v) | New2(u, v)));

# 4: Relevant(pc): the last round found something at this point.
mu Relevant(pc: PC) =
    exists u, v: State. (SummaryEFopt(1, u, v) & !SummaryEFopt(0, u, v) & v.pc = pc);

# New1(u, v): by any number of internal steps from a relevant point.
mu New1(u: State, v: State) =
    # 5: no step yet
    (SummaryEFopt(1, u, v) & Relevant(v.pc))
    # 6: one step more
  | (exists x: State. (New1(u, x) & ProgramInt(x, v)));

# New2(u, v): by one call, or over one.
mu New2(u: State, v: State) =
    # 7: a call from a relevant point
    (exists w, x: State. (Relevant(x.pc) & SummaryEFopt(1, w, x) & IntoCall(x, v) & u = v))
    # 8, 9, 10: over a call: x is at the call, y at the callee's entry, z at its exit
  | (exists x, y, z: State. (SummaryEFopt(1, u, x) & IntoCall(x, y) & SummaryEFopt(1, y, z)
        & Exit(z.pc) & Return(x, z, v)
        # 11: the call or the exit is new; they need not be at the same time
        & (Relevant(x.pc) | Relevant(z.pc))));

# A target is reached.
query reach = exists u, v: State. (SummaryEFopt(1, u, v) & Target(v.pc));
