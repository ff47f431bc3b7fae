// A list of up to three elements on the heap: they are taken out in the order in which they were put in, and
// every one is freed once. With USE_AFTER_FREE the next one is looked for in an element that is no more.
// derny: --assertions --defined : holds
// derny: --defined -D USE_AFTER_FREE : violated
#include <assert.h>
#include <stdlib.h>
_Bool __VERIFIER_nondet_bool(void);

struct element {
  unsigned char value;
  struct element *next;
};

static struct element *first, *last;

static void put(unsigned char value) {
  struct element *element = malloc(sizeof *element);
  element->value = value;
  element->next = NULL;
  if (last)
    last->next = element;
  else
    first = element;
  last = element;
}

static unsigned char take(void) {
  struct element *element = first;
  unsigned char value = element->value;
#ifdef USE_AFTER_FREE
  free(element);
  first = element->next;
#else
  first = element->next;
  free(element);
#endif
  if (!first)
    last = NULL;
  return value;
}

int main(void) {
  unsigned char count = 0;
  while (count < 3 && __VERIFIER_nondet_bool())
    put(count++);
  for (unsigned char k = 0; k < count; k++)
    assert(take() == k);
  assert(!first && !last);
  return 0;
}
