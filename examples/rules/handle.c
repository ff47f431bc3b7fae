// Two handles in a table. A slot is emptied when its handle is freed, so that nobody finds it there
// again.
// derny: --slic specs/handle.slic : holds
int handle_new(void);
void handle_use(int handle);
void handle_free(int handle);
_Bool __VERIFIER_nondet_bool(void);

int table[2];
_Bool used[2];

void drop(int slot) {
  if (used[slot]) {
    handle_free(table[slot]);
    used[slot] = 0;
  }
}

int main(void) {
  for (int slot = 0; slot < 2; slot++) {
    table[slot] = handle_new();
    used[slot] = 1;
  }
  if (table[0] == table[1]) return 1;
  while (__VERIFIER_nondet_bool()) {
    int slot = __VERIFIER_nondet_bool();
    if (used[slot]) handle_use(table[slot]);
    drop(slot);
  }
  drop(0);
  drop(1);
  return 0;
}
