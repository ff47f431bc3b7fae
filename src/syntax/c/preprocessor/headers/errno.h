/* The number of the last error. */
#ifndef _ERRNO_H
#define _ERRNO_H
extern int errno;
#define errno errno
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define EINVAL 22
#define ENOSPC 28
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define EILSEQ 84
#define ETIMEDOUT 110
#endif
