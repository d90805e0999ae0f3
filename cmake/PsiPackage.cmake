# `cpack`: a package for Debian of everything that `cmake --install` copies.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME psic)
set(CPACK_PACKAGE_CONTACT "The psic developers <psic@localhost>" CACHE STRING "Whom to ask about the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler back end for predicated code in SSA form")
set(CPACK_PACKAGE_DESCRIPTION
    "psic transforms programs whose instructions have guards, in psi-SSA form:
if-conversion, optimisations that know predicates, and six ways out of SSA
form, for machines with guards, with selects, or with branches only.
.
The package has the tool psic, the C compiler psicc, which is clang with
psic's if-conversion, its plugin for clang and opt, and the C++ library
libpsi with its headers.")
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# The libraries that psic, its modules and psicc are linked with, as dpkg-shlibdeps finds them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What nothing is linked with: psicc calls clang-19, and for profiles llvm-profdata-19 and the runtime of
# measuring programs; who embeds the library compiles against its own libraries, the bridge's and the solver's.
set(psi_debian_recommends g++ libfmt-dev libtbb-dev)
set(psi_debian_suggests cmake ninja-build pkg-config graphviz bash-completion)
if(TARGET psicc)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS clang-19)
  list(APPEND psi_debian_recommends llvm-19 libclang-rt-19-dev)
  list(APPEND psi_debian_suggests llvm-19-dev)
endif()
if(TARGET psi_exact)
  list(APPEND psi_debian_suggests libz3-dev)
endif()
list(JOIN psi_debian_recommends ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)
list(JOIN psi_debian_suggests ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PsiDebian.cmake)
include(CPack)
