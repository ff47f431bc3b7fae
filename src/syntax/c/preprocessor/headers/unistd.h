/* The system's own functions. */
#ifndef _UNISTD_H
#define _UNISTD_H
#include <stddef.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
extern ssize_t read(int, void *, size_t);
extern ssize_t write(int, const void *, size_t);
extern int close(int);
extern off_t lseek(int, off_t, int);
extern int unlink(const char *);
extern pid_t fork(void);
extern pid_t getpid(void);
extern unsigned int sleep(unsigned int);
extern int usleep(useconds_t);
extern unsigned int alarm(unsigned int);
extern void _exit(int) __attribute__((__noreturn__));
#endif
