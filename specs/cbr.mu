# Reachability with at most K context switches.
# Section 5.1 of "Analyzing Recursive Programs using a Fixed-point Calculus" (PLDI 2009), for
# threads that are all declared. A thread is left only where it is not exclusive, comes back only
# to a state in which it was left, and ends after its first frame.

param K = 2;

# First(s, t): context s is the first one of its thread.
let First(s: 0..K, t: Thread[0..K]) =
    all r in 0..K. (r < s -> t[r] != t[s]);

# Consecutive(r, s, t): context r is the last one of its thread before s.
let Consecutive(r: 0..K, s: 0..K, t: Thread[0..K]) =
    r < s & t[r] = t[s] & (all i in 0..K. (r < i & i < s -> t[i] != t[s]));

# Starts(u, s, g, t): the thread of context s starts in it, in state u.
let Starts(u: State, s: 0..K, g: Globals[1..K], t: Thread[0..K]) =
    Start(t[s], u) & First(s, t)
    & ((s = 0 & StartGlobals(u.G)) | (some i in 1..K. (s = i & u.G = g[i])));

# Reach(u, v, ecs, cs, g, t): after cs switches, the i-th of them with the globals g[i] and
# context i being one of thread t[i], thread t[cs] is in state v; its procedure was entered in
# state u, after ecs switches. Of g and t, what lies behind cs does not matter.
mu Reach(u: State, v: State, ecs: 0..K, cs: 0..K, g: Globals[1..K], t: Thread[0..K]) =
    # the first thread starts
    (cs = 0 & ecs = 0 & u = v & Starts(u, ecs, g, t))
    # one more step inside of the procedure
  | (exists x: State. (Reach(u, x, ecs, cs, g, t) & ProgramInt(x, v)))
    # the last step of a thread: its first frame is left
  | (exists x: State. (Reach(u, x, ecs, cs, g, t) & Starts(u, ecs, g, t) & End(x, v)))
    # into a call
  | (exists x, y: State, ecs2: 0..K. (Reach(x, y, ecs2, cs, g, t) & IntoCall(y, u)
        & ecs = cs & u = v))
    # over a call: x is at the call, y at the callee's entry, z at its exit
  | (exists c, e: PC, y: State, cs2: 0..K.
        ((exists x: State. (Reach(u, x, ecs, cs2, g, t) & ReturnA(x, e, v) & IntoCall(x, y)
            & c = x.pc))
        & (exists z: State. (Reach(y, z, cs2, cs, g, t) & e = z.pc & Exit(z.pc)
            & ReturnB(c, z, v)))))
    # a switch to a thread for the first time
  | (u = v & ecs = cs & Starts(u, ecs, g, t) & Left(cs, g, t))
    # a switch back to a thread, in the state v2 in which it was left
  | (Left(cs, g, t)
        & (exists v2: State, cs2: 0..K. (Reach(u, v2, ecs, cs2, g, t) & MaySwitch(v2)
            & Consecutive(cs2, cs, t) & v.pc = v2.pc & v.L = v2.L
            & (some i in 1..K. (cs2 + 1 = i & v2.G = g[i])) & (some i in 1..K. (cs = i & v.G = g[i])))));

# Left(cs, g, t): another thread comes to a state with the globals g[cs], in which it may be
# left for context cs.
let Left(cs: 0..K, g: Globals[1..K], t: Thread[0..K]) =
    some i in 1..K. (cs = i & t[i - 1] != t[i]
        & (exists x, y: State, ecs: 0..K. (Reach(x, y, ecs, i - 1, g, t) & MaySwitch(y)
            & y.G = g[i])));

# A target is reached, by a thread or before they start.
query reach =
    (exists u, v: State, ecs, cs: 0..K, g: Globals[1..K], t: Thread[0..K].
        (Reach(u, v, ecs, cs, g, t) & Target(v.pc)))
  | (exists p: PC. (InitReaches(p) & Target(p)));
