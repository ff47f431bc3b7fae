// Reads a file, and forgets to close it where it is empty.
// derny: --slic specs/file.slic : violated
int file_open(const char *name);
int file_read(int file);
void file_close(int file);

int main(void) {
  int file = file_open("numbers");
  if (file < 0) return 1;
  int first = file_read(file);
  if (first < 0) return 2;
  file_close(file);
  return first;
}
