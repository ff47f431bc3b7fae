# Reachability within R rounds, in each of which the threads take turns in the order of their
# numbers: the globals at the start of each round are guessed, thread after thread makes all of
# its turns, and at the end the guesses are checked.
# After Lal and Reps, "Reducing Concurrent Analysis Under a Context Bound to Sequential Analysis"
# (CAV 2008), for threads that are all declared.

param R = 2;

# Starts(t, u, er, a, b): thread t starts in its turn of round er, in state u; in the rounds
# before it has done nothing.
let Starts(t: Thread, u: State, er: 1..R, a: Globals[1..R], b: Globals[1..R]) =
    Start(t, u) & (all i in 1..R. ((i < er -> a[i] = b[i]) & (i = er -> u.G = a[i])));

# Turn(t, u, v, er, r, a, b): in its turn of round r, thread t is in state v; its procedure was
# entered in state u, in round er. Its turns begin with the globals a[i] and end with b[i]. Of a,
# what lies behind r does not matter; of b, neither what belongs to r.
mu Turn(t: Thread, u: State, v: State, er: 1..R, r: 1..R, a: Globals[1..R], b: Globals[1..R]) =
    # the thread starts
    (er = r & u = v & Starts(t, u, er, a, b))
    # one more step inside of the procedure
  | (exists x: State. (Turn(t, u, x, er, r, a, b) & ProgramInt(x, v)))
    # its last step: the first frame is left
  | (exists x: State. (Turn(t, u, x, er, r, a, b) & Starts(t, u, er, a, b) & End(x, v)))
    # into a call
  | (exists x, y: State, er2: 1..R. (Turn(t, x, y, er2, r, a, b) & IntoCall(y, u)
        & er = r & u = v))
    # over a call: x is at the call, y at the callee's entry, z at its exit
  | (exists c, e: PC, y: State, r2: 1..R.
        ((exists x: State. (Turn(t, u, x, er, r2, a, b) & ReturnA(x, e, v) & IntoCall(x, y)
            & c = x.pc))
        & (exists z: State. (Turn(t, y, z, r2, r, a, b) & e = z.pc & Exit(z.pc)
            & ReturnB(c, z, v)))))
    # the next turn begins where the last one ended, with other globals
  | (some i in 2..R. (r = i & v.G = a[i]
        & (exists x: State. (Turn(t, u, x, er, i - 1, a, b) & MaySwitch(x) & x.G = b[i - 1]
            & v.pc = x.pc & v.L = x.L))));

# Whole(t, a, b): thread t can make all of its turns.
let Whole(t: Thread, a: Globals[1..R], b: Globals[1..R]) =
    a = b
  | (exists u, x: State, er: 1..R. (Turn(t, u, x, er, R, a, b) & MaySwitch(x) & x.G = b[R]));

# Chain(t, hit, s, b): the turns of threads 1 to t lead from the globals s to b, which are the
# guesses at the start of each round and what they have become; a target is reached in round
# hit (0: not yet). After that round nothing matters.
mu Chain(t: 0..n, hit: 0..R, s: Globals[1..R], b: Globals[1..R]) =
    # nobody has had a turn
    (t = 0 & hit = 0 & s = b & StartGlobals(s[1]))
    # a thread makes its turns
  | (exists p: 0..n, a: Globals[1..R]. (p + 1 = t & Chain(p, hit, s, a) & Whole(t, a, b)))
    # a thread reaches a target
  | (exists p: 0..n, a: Globals[1..R], u, v: State, er: 1..R.
        (p + 1 = t & Chain(p, 0, s, a) & Turn(t, u, v, er, hit, a, b) & Target(v.pc)));

# A target is reached, by a thread and with the right guesses, or before threads start.
query reach =
    (exists hit: 0..R, s, b: Globals[1..R].
        (Chain(n, hit, s, b) & 1 <= hit & (all i in 1..R - 1. (i < hit -> b[i] = s[i + 1]))))
  | (exists p: PC. (InitReaches(p) & Target(p)));
