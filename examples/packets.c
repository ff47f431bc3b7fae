// The loop of the SLAM papers: the lock is taken and released in turn, because the loop goes on
// exactly if a packet was handled, and only then was the lock released.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int lock;

void acquire(void) { assert(lock == 0); lock = 1; }

void release(void) { assert(lock == 1); lock = 0; }

int main(void) {
  unsigned packets = __VERIFIER_nondet_int(), old;
  do {
    acquire();
    old = packets;
    if (__VERIFIER_nondet_int()) {
      release();
      packets++;
    }
  } while (packets != old);
  release();
  return 0;
}
