// Work that may be left early, with the interrupt level still raised.
// derny: --slic specs/interrupt-level.slic : violated
void raise_level(unsigned char level);
void lower_level(unsigned char level);
void wait_for_event(void);
_Bool __VERIFIER_nondet_bool(void);

void work(unsigned char level) {
  if (level >= 4) return;
  raise_level(level + 1);
  if (__VERIFIER_nondet_bool()) return;
  while (__VERIFIER_nondet_bool()) work(level + 1);
  lower_level(level);
}

int main(void) {
  for (;;) {
    work(0);
    wait_for_event();
  }
}
