/* Input and output. */
#ifndef _STDIO_H
#define _STDIO_H
#include <stdarg.h>
#include <stddef.h>
typedef struct __file FILE;
typedef long fpos_t;
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
extern int printf(const char *restrict, ...);
extern int fprintf(FILE *restrict, const char *restrict, ...);
extern int sprintf(char *restrict, const char *restrict, ...);
extern int snprintf(char *restrict, size_t, const char *restrict, ...);
extern int vprintf(const char *restrict, va_list);
extern int vfprintf(FILE *restrict, const char *restrict, va_list);
extern int vsprintf(char *restrict, const char *restrict, va_list);
extern int vsnprintf(char *restrict, size_t, const char *restrict, va_list);
extern int scanf(const char *restrict, ...);
extern int fscanf(FILE *restrict, const char *restrict, ...);
extern int sscanf(const char *restrict, const char *restrict, ...);
extern int puts(const char *);
extern int putchar(int);
extern int putc(int, FILE *);
extern int fputc(int, FILE *);
extern int fputs(const char *restrict, FILE *restrict);
extern int getchar(void);
extern int getc(FILE *);
extern int fgetc(FILE *);
extern char *fgets(char *restrict, int, FILE *restrict);
extern int ungetc(int, FILE *);
extern FILE *fopen(const char *restrict, const char *restrict);
extern FILE *freopen(const char *restrict, const char *restrict, FILE *restrict);
extern int fclose(FILE *);
extern int fflush(FILE *);
extern size_t fread(void *restrict, size_t, size_t, FILE *restrict);
extern size_t fwrite(const void *restrict, size_t, size_t, FILE *restrict);
extern int fseek(FILE *, long, int);
extern long ftell(FILE *);
extern void rewind(FILE *);
extern int feof(FILE *);
extern int ferror(FILE *);
extern void clearerr(FILE *);
extern int remove(const char *);
extern int rename(const char *, const char *);
extern void perror(const char *);
#endif
