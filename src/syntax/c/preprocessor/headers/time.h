/* Dates and times. */
#ifndef _TIME_H
#define _TIME_H
#include <stddef.h>
#include <sys/types.h>
typedef long clock_t;
#define CLOCKS_PER_SEC ((clock_t)1000000)
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
extern clock_t clock(void);
extern time_t time(time_t *);
extern double difftime(time_t, time_t);
extern time_t mktime(struct tm *);
extern struct tm *gmtime(const time_t *);
extern struct tm *localtime(const time_t *);
extern char *asctime(const struct tm *);
extern char *ctime(const time_t *);
extern size_t strftime(char *restrict, size_t, const char *restrict, const struct tm *restrict);
extern int nanosleep(const struct timespec *, struct timespec *);
#endif
