/* Assertions: a call that is checked, unless NDEBUG is defined. It may be included again. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
extern void assert(int);
/* Whatever scalar it is, only 0 is false: a conversion to int would lose bits. */
#define assert(condition) assert((condition) != 0)
#endif
#ifndef _ASSERT_H
#define _ASSERT_H
#define static_assert _Static_assert
extern void __assert_fail(const char *, const char *, unsigned int, const char *)
    __attribute__((__noreturn__));
#endif
