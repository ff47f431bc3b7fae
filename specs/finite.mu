# Reachability in a finite transition system: for programs without calls.
# Section 3 of "Analyzing Recursive Programs using a Fixed-point Calculus" (PLDI 2009).

# Reach(u): executions come to u.
mu Reach(u: State) =
    # where the program starts
    Init(u.pc)
    # one step from a state that is reached
  | (exists x: State. (Reach(x) & ProgramInt(x, u)));

# A target is reached.
query reach = exists u: State. (Reach(u) & Target(u.pc));
