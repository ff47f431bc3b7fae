// 4 errors: what is unknown may have the name that could not be read
lot D(x: bool) = x;
type 3 = bool;
let mu(x: Three) = x;
query q = D(N) & E(N);
query r = Entry(1);
