/* Memory, the end of the program, numbers. */
#ifndef _STDLIB_H
#define _STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX ((size_t)1)
typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
typedef struct {
    long long quot, rem;
} lldiv_t;
extern void *malloc(size_t);
extern void *calloc(size_t, size_t);
extern void *realloc(void *, size_t);
extern void *aligned_alloc(size_t, size_t);
extern void *alloca(size_t);
extern void free(void *);
extern void abort(void) __attribute__((__noreturn__));
extern void exit(int) __attribute__((__noreturn__));
extern void _Exit(int) __attribute__((__noreturn__));
extern void quick_exit(int) __attribute__((__noreturn__));
extern int atexit(void (*)(void));
extern int abs(int);
extern long labs(long);
extern long long llabs(long long);
extern div_t div(int, int);
extern ldiv_t ldiv(long, long);
extern lldiv_t lldiv(long long, long long);
extern int rand(void);
extern void srand(unsigned int);
extern long random(void);
extern void srandom(unsigned int);
extern int atoi(const char *);
extern long atol(const char *);
extern long long atoll(const char *);
extern double atof(const char *);
extern long strtol(const char *restrict, char **restrict, int);
extern unsigned long strtoul(const char *restrict, char **restrict, int);
extern long long strtoll(const char *restrict, char **restrict, int);
extern unsigned long long strtoull(const char *restrict, char **restrict, int);
extern double strtod(const char *restrict, char **restrict);
extern char *getenv(const char *);
extern int system(const char *);
extern void *bsearch(const void *, const void *, size_t, size_t,
                     int (*)(const void *, const void *));
extern void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
#endif
