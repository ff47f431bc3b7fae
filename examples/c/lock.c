// A driver takes and gives back a lock, through retries and an early exit. The assertions say that
// nobody takes it twice or gives back what he does not hold.
// derny: --assertions : holds
// derny: --ltl 'G (call(acquire) -> {!held})' : holds
// derny: --reach retry --reach call(release) : reachable
#include <assert.h>
#include <stdbool.h>
bool __VERIFIER_nondet_bool(void);

static bool held;

void acquire(void) { assert(!held); held = true; }
void release(void) { assert(held); held = false; }

int transfer(void) {
  acquire();
  if (__VERIFIER_nondet_bool()) {
    release();
    return -1;
  }
  release();
  return 0;
}

int main(void) {
retry:
  if (transfer() < 0)
    goto retry;
  assert(!held);
  return 0;
}
