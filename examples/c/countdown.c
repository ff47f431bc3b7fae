// A loop that is meant to count down to 0. An unsigned number is never below 0: it goes on for ever.
// derny: --terminates : violated
// derny: --terminates -D COUNTER=int : holds
#ifndef COUNTER
#define COUNTER unsigned
#endif

int main(void) {
  for (COUNTER i = 10; i >= 0; i--)
    ;
  return 0;
}
