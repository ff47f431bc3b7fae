// 5 errors: what has an unknown type fits everywhere, whatever is taken of it
type Pair = { one: Stat, other: bool };
mu A(u: Stat, p: Pair) = Entry(u.pc) & p.other & u = p.one & u < 2 & A(u, 1);
mu B(u: State, a: Stats[0..2]) = A(u, u.pc) & a[7].pc = u.pc & u.pc < 2;
query q = exists x: 0..K. x.y[1] & A(x, x);
