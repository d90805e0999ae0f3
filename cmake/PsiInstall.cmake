# What `cmake --install` copies, besides the tools: the library, its headers, and how other projects find it,
# through CMake (find_package(psi), targets psi::psi, psi::llvm and psi::exact) or pkg-config (psi). All of it can
# be moved afterwards.
include(CMakePackageConfigHelpers)

set(psi_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/psi)
configure_package_config_file(cmake/psi-config.cmake.in cmake/psi-config.cmake
                              INSTALL_DESTINATION ${psi_config_dir})
write_basic_package_version_file(cmake/psi-config-version.cmake COMPATIBILITY SameMinorVersion)

file(RELATIVE_PATH psi_pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" psi_pc_to_prefix ${psi_pc_to_prefix})
configure_file(cmake/psi.pc.in cmake/psi.pc @ONLY)

install(TARGETS psi EXPORT psi-targets)
install(EXPORT psi-targets NAMESPACE psi:: DESTINATION ${psi_config_dir})
foreach(component llvm exact)
  if(TARGET psi_${component})
    install(TARGETS psi_${component} EXPORT psi-${component}-targets)
    install(EXPORT psi-${component}-targets NAMESPACE psi:: DESTINATION ${psi_config_dir})
  endif()
endforeach()
install(DIRECTORY include/psi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(FILES ${PROJECT_BINARY_DIR}/cmake/psi-config.cmake ${PROJECT_BINARY_DIR}/cmake/psi-config-version.cmake
        DESTINATION ${psi_config_dir})
install(FILES ${PROJECT_BINARY_DIR}/cmake/psi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# The man pages, which psic has written.
if(NOT TARGET psicc)
  set(without_psicc PATTERN psicc.1 EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${without_psicc})
# Shells find completions by the name of the command. zsh looks in site-functions under /usr/local, and Debian's
# in vendor-completions under /usr.
foreach(command psic psicc)
  if(TARGET ${command})
    install(FILES completions/psic.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            RENAME ${command})
    install(FILES completions/psic.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
            RENAME ${command}.fish)
  endif()
endforeach()
foreach(folder site-functions vendor-completions)
  install(FILES completions/_psic DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
endforeach()
# Vim and Emacs look here; VS Code takes what is copied to it.
install(DIRECTORY editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles)
install(DIRECTORY editors/emacs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/emacs/site-lisp)
install(DIRECTORY editors/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/psic)
# Documents and examples lie as in the source tree, so that they find each other.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
install(DIRECTORY explorer/licences DESTINATION ${CMAKE_INSTALL_DOCDIR}/explorer)
