// Two accounts, each with a lock. A transfer takes both, always the account with the smaller number
// first, and gives both back on every path.
// derny: --slic specs/lock.slic : holds
struct mutex { int owner; };
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
unsigned char __VERIFIER_nondet_uchar(void);

struct account { struct mutex lock; unsigned char balance; };
struct account first, second;

int transfer(struct account *from, struct account *to, unsigned char amount) {
  int done = 0;
  mutex_lock(&first.lock);
  mutex_lock(&second.lock);
  if (from->balance >= amount) {
    from->balance -= amount;
    to->balance += amount;
    done = 1;
  }
  mutex_unlock(&second.lock);
  mutex_unlock(&first.lock);
  return done;
}

int main(void) {
  first.balance = __VERIFIER_nondet_uchar();
  while (transfer(&first, &second, __VERIFIER_nondet_uchar())) ;
  return 0;
}
