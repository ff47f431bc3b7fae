// 5 errors: the cycle is found beside others, also in applications that are wrong
let A(x: bool) = B(x, y);
let B(x: bool) = !A(x);
let C(x: bool) = C(x) & D(x);
