// Two handles in a table. When the second cannot be used, the first is freed, and once more at the end.
// derny: --slic specs/handle.slic : violated
int handle_new(void);
void handle_use(int handle);
void handle_free(int handle);
_Bool __VERIFIER_nondet_bool(void);

int main(void) {
  int first = handle_new(), second = handle_new();
  if (first == second) return 1;
  handle_use(first);
  if (__VERIFIER_nondet_bool()) {
    handle_free(first);
  } else {
    handle_use(second);
  }
  handle_free(second);
  handle_free(first);
  return 0;
}
