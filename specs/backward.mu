# Backwards from the targets: the states from which a target can be reached before their frame
# returns.

# Summary(u, v): from the entry state u the program comes to v in the same procedure, with all
# calls in between returned.
mu Summary(u: State, v: State) =
    # at every entry, nothing has happened yet
    (Entry(u.pc) & u = v)
    # one more step inside of the procedure
  | (exists x: State. (Summary(u, x) & ProgramInt(x, v)))
    # over a call: x is at the call, y at the callee's entry, z at its exit
  | (exists x, y, z: State. (Summary(u, x) & IntoCall(x, y) & Summary(y, z)
        & Exit(z.pc) & Return(x, z, v)));

# Backward(u): from u a target can be reached before the frame of u returns.
mu Backward(u: State) =
    # at a target
    Target(u.pc)
    # one step before
  | (exists v: State. (ProgramInt(u, v) & Backward(v)))
    # at a call whose callee comes to a target
  | (exists v: State. (IntoCall(u, v) & Backward(v)))
    # at a call that returns to such a state
  | (exists y, z, v: State. (IntoCall(u, y) & Summary(y, z) & Exit(z.pc) & Return(u, z, v)
        & Backward(v)));

# A target is reached: some start is such a state.
query reach = exists u: State. (Init(u.pc) & Backward(u));
