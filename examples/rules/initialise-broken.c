// A device is tried three times, and then used, whether it works or not.
// derny: --slic specs/initialise.slic : violated
int device_init(void);
int device_read(void);
void device_exit(void);

int main(void) {
  for (int tries = 0; tries < 3; tries++)
    if (device_init() == 0) break;
  device_read();
  device_exit();
  return 0;
}
