// Recursive descent over any input: sums of 1s and of sums in parentheses. Each function gives its value
// back through a pointer to a local of its caller, however deep the parentheses are.
// derny: --assertions --defined : holds
// derny: --reach nested : reachable
#include <assert.h>
unsigned char __VERIFIER_nondet_uchar(void);

enum token { ONE, PLUS, OPEN, CLOSE, END };

static enum token token;
static _Bool mistake;
static unsigned char depth;

static void next(void) {
  unsigned char any = __VERIFIER_nondet_uchar();
  token = any < END ? any : END;
}

static void expression(unsigned char *value);

static void operand(unsigned char *value) {
  if (token == ONE) {
    *value = 1;
    next();
  } else if (token == OPEN) {
    unsigned char inner = 0;
    depth++;
    next();
    expression(&inner);
    *value = inner;
    if (token == CLOSE)
      next();
    else
      mistake = 1;
    depth--;
  nested:;
  } else {
    mistake = 1;
  }
}

static void expression(unsigned char *value) {
  unsigned char sum = 0, right = 0;
  operand(&sum);
  while (token == PLUS && !mistake) {
    next();
    operand(&right);
    sum += right;
  }
  *value = sum;
}

int main(void) {
  unsigned char value = 0;
  next();
  expression(&value);
  assert(depth == 0);
  assert(mistake || token != PLUS);
  return 0;
}
