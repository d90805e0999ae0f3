// What link-grammar's configure script writes; all of its functions are visible here.
#ifndef LINK_FEATURES_H
#define LINK_FEATURES_H

#define LINK_BEGIN_DECLS
#define LINK_END_DECLS
#define link_public_api(x) x
#define link_experimental_api(x) x

#define LINK_MAJOR_VERSION 5
#define LINK_MINOR_VERSION 13
#define LINK_MICRO_VERSION 0
#define LINK_VERSION_STRING "5.13.0"

#define lg_xstr(...) lg_str(__VA_ARGS__)
#define lg_str(...) #__VA_ARGS__

#define LG_HOST_OS ""
#define LG_CPPFLAGS ""
#define LG_CFLAGS ""
#define LG_DEFS ""
#define DISCUSSION_GROUP ""
#define OVERVIEW ""
#define PACKAGE_BUGREPORT ""
#define PACKAGE_URL ""

#endif
