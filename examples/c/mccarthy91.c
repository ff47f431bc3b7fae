// McCarthy's function: 91 for every argument up to 100, and n - 10 above. Checked on the arguments from 0
// to 127.
// derny: --assertions --terminates : holds
// derny: --assertions -D RESULT=92 : violated
#include <assert.h>
unsigned char __VERIFIER_nondet_uchar(void);

#ifndef RESULT
#define RESULT 91
#endif

unsigned char f(unsigned char n) {
  if (n > 100)
    return n - 10;
  return f(f(n + 11));
}

int main(void) {
  unsigned char n = __VERIFIER_nondet_uchar() & 127;
  unsigned char result = f(n);
  assert(n > 100 ? result == n - 10 : result == RESULT);
  return 0;
}
