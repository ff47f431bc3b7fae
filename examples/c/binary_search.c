// Binary search with the mistake that stood in many libraries for years: the sum of two indices does
// not fit an int. Where they are large enough, the sum overflows.
// derny: --no-overflow : violated
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
  int low = 0, high = __VERIFIER_nondet_int();
  __VERIFIER_assume(high >= 0);
  while (low < high) {
    int middle = (low + high) / 2;
    if (__VERIFIER_nondet_int())
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
