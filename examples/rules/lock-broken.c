// Two accounts, each with a lock. A transfer from an account to itself takes one lock twice.
// derny: --slic specs/lock.slic : violated
struct mutex { int owner; };
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
unsigned char __VERIFIER_nondet_uchar(void);

struct account { struct mutex lock; unsigned char balance; };
struct account accounts[2];

void transfer(struct account *from, struct account *to, unsigned char amount) {
  mutex_lock(&from->lock);
  mutex_lock(&to->lock);
  if (from->balance >= amount) {
    from->balance -= amount;
    to->balance += amount;
  }
  mutex_unlock(&to->lock);
  mutex_unlock(&from->lock);
}

int main(void) {
  unsigned char from = __VERIFIER_nondet_uchar() & 1, to = __VERIFIER_nondet_uchar() & 1;
  transfer(&accounts[from], &accounts[to], 10);
  return 0;
}
