# Summaries of all procedures, reachable or not, and then the states that can be reached.
# Section 4.1 of "Analyzing Recursive Programs using a Fixed-point Calculus" (PLDI 2009).

# Summary(u, v): v is a state of the procedure that is entered in state u, and from u the
# program comes to v with all calls in between returned.
mu Summary(u: State, v: State) =
    # at every entry, nothing has happened yet
    (Entry(u.pc) & u = v)
    # one more step inside of the procedure
  | (exists x: State. (Summary(u, x) & ProgramInt(x, v)))
    # over a call: x is at the call, y at the callee's entry, z at its exit
  | (exists x, y, z: State. (Summary(u, x) & IntoCall(x, y) & Summary(y, z)
        & Exit(z.pc) & Return(x, z, v)));

# EntryReached(u): executions come to the entry state u, with any stack below.
mu EntryReached(u: State) =
    # where the program starts
    Init(u.pc)
    # from a call that is reached
  | (exists w, x: State. (EntryReached(w) & Summary(w, x) & IntoCall(x, u)));

# Reachable(v): executions come to v, with any stack below.
let Reachable(v: State) = exists u: State. (EntryReached(u) & Summary(u, v));

# A target is reached.
query reach = exists v: State. (Reachable(v) & Target(v.pc));
