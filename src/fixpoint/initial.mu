# What `init` does: the one thread of the program that these equations are given. The target is
# *error*.

# Summary(u, v): the entry state u is reached, and from it the thread comes to v with all calls
# in between returned.
mu Summary(u: State, v: State) =
    (Begin(u) & u = v)
  | (exists x: State. (Summary(u, x) & ProgramInt(x, v)))
  | (exists x: State. (Summary(u, x) & Begin(u) & End(x, v)))
  | (exists x, y: State. (Summary(x, y) & IntoCall(y, u) & u = v))
  | (exists c, e: PC, y: State.
        ((exists x: State. (Summary(u, x) & ReturnA(x, e, v) & IntoCall(x, y) & c = x.pc))
        & (exists z: State. (Summary(y, z) & e = z.pc & Exit(z.pc) & ReturnB(c, z, v)))));

let Begin(u: State) = Start(1, u) & StartGlobals(u.G);

let Reaches(p: PC) = exists u, v: State. (Summary(u, v) & v.pc = p);

# Of the two points that are in no procedure, *terminated* is the one that is no target.
let Leaves(g: Globals) =
    exists u, v: State. (Summary(u, v) & v.G = g & !InProcedure(v.pc, v.pc) & !Target(v.pc));
