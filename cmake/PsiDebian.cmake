# What Debian expects of a package's files: manual and changelogs compressed, the licence as copyright, completions
# where its zsh looks. cpack runs this on its copy.
set(share ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
set(documents ${share}/doc/${CPACK_PACKAGE_NAME})

file(RENAME ${documents}/CHANGELOG.md ${documents}/changelog)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog.Debian
     "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
     "  * Packaged by cpack. What has changed is in changelog.gz.\n\n"
     " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
file(GLOB compressed ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9 -n ${compressed} ${documents}/changelog ${documents}/changelog.Debian
                COMMAND_ERROR_IS_FATAL ANY)

# Every Debian has the text of the Apache License.
file(READ ${documents}/LICENSE licence)
string(FIND "${licence}" "---- LLVM Exceptions" exceptions)
string(SUBSTRING "${licence}" ${exceptions} -1 exceptions)
file(WRITE ${documents}/copyright
     "psic is under the Apache License v2.0 with LLVM Exceptions, Copyright (c) the psic developers.\n\n"
     "The license is in /usr/share/common-licenses/Apache-2.0.\n\n${exceptions}\n\n"
     "The page of psic explore holds the fonts Inter and JetBrains Mono, under the SIL Open Font License 1.1: their\n"
     "copyrights and its text are in explorer/licences beside this file.\n")
file(REMOVE ${documents}/LICENSE)

file(REMOVE_RECURSE ${share}/zsh/site-functions)
