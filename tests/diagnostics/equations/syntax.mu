// 8 errors: each item has its own, and uses of what could not be read are no mistakes
param K = ;
type T = { a: bool, b };
mu A(u: State) = (Entry(u.pc);
mu B(x: T, i: 0..K) = A(x, i) & x.b & B(x) & i = K - 1;
query q = (A(1); B(2)) | true;
query r = A(1) @ A(2) @ A(3);
nu C(x: bool) = y | x;
