// As mpeg2dec's configure script writes it, but without ARCH_X86: the portable C code, not inline assembly.
#define HAVE_BUILTIN_EXPECT
#define HAVE_GETTIMEOFDAY
#define HAVE_INTTYPES_H
#define HAVE_STRUCT_TIMEVAL
#define HAVE_SYS_TIME_H
#define HAVE_TIME_H
#define HAVE_UNISTD_H
#define PACKAGE "mpeg2dec"
#define RETSIGTYPE void
#define TIME_WITH_SYS_TIME
#define VERSION "0.5.1"
