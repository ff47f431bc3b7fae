// A ring buffer of four places: what is taken out was put in, and no index leaves the array.
// derny: --assertions --defined : holds
#include <assert.h>
unsigned char __VERIFIER_nondet_uchar(void);

#define SIZE 4
static unsigned char buffer[SIZE];
static unsigned first, count;

int put(unsigned char value) {
  if (count == SIZE)
    return 0;
  buffer[(first + count) % SIZE] = value;
  count++;
  return 1;
}

int get(unsigned char *value) {
  if (count == 0)
    return 0;
  *value = buffer[first];
  first = (first + 1) % SIZE;
  count--;
  return 1;
}

int main(void) {
  while (1) {
    unsigned char in = __VERIFIER_nondet_uchar() & 3, out;
    put(in | 8);
    assert(count > 0);
    if (get(&out))
      assert(out >= 8);
    assert(count < SIZE);
  }
}
