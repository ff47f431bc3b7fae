// Reads a file, if it can be opened, up to its end or the first mistake, and closes it.
// derny: --slic specs/file.slic : holds
int file_open(const char *name);
int file_read(int file);
void file_close(int file);

int sum(int file) {
  int total = 0, next;
  while ((next = file_read(file)) >= 0)
    total = (total + next) & 255;
  return total;
}

int main(void) {
  int file = file_open("numbers");
  if (file < 0) return 1;
  int total = sum(file);
  file_close(file);
  return total;
}
