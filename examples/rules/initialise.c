// A device is tried three times. It is read only if one attempt was successful.
// derny: --slic specs/initialise.slic : holds
int device_init(void);
int device_read(void);
void device_exit(void);

int main(void) {
  int tries = 0, status;
  do
    status = device_init();
  while (status != 0 && ++tries < 3);
  if (status != 0) return 1;
  device_read();
  device_exit();
  return 0;
}
