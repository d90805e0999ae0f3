# psi_warnings: the warnings that everything here is built with; psi_options: those and the sanitizers.
# Neither is installed.
add_library(psi_warnings INTERFACE)
add_library(psi_options INTERFACE)
target_link_libraries(psi_options INTERFACE psi_warnings)
target_compile_options(psi_warnings INTERFACE -Wall -Wextra -Wpedantic)
if(PSI_WERROR)
  target_compile_options(psi_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns of overlapping copies inside std::string's own operators, wrongly.
  target_compile_options(psi_warnings INTERFACE -Wno-restrict)
endif()

set(psi_sanitizers ${PSI_SANITIZE})
if(PSI_FUZZ)
  # Coverage for libFuzzer everywhere; its main function only in the fuzz targets (fuzz/CMakeLists.txt).
  string(JOIN "," psi_sanitizers ${PSI_SANITIZE} fuzzer-no-link)
endif()
if(psi_sanitizers)
  set(psi_sanitizer_flags -fsanitize=${psi_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(psi_options INTERFACE ${psi_sanitizer_flags})
  target_link_options(psi_options INTERFACE ${psi_sanitizer_flags})
endif()
