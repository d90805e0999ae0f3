# The programs that the tests need: PSI_PYTHON, PSI_LIT, PSI_FILECHECK, PSI_NOT, PSI_SPLIT_FILE,
# PSI_DOT.
#
# lit and FileCheck come with Debian's llvm-19-tools, outside of PATH. The system's python3 comes before
# any other: it is the one that package was made for.
find_program(PSI_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(PSI_PYTHON python3 REQUIRED)

set(psi_llvm_roots)
foreach(version 19 20 18 17 16 15 14)
  list(APPEND psi_llvm_roots /usr/lib/llvm-${version})
endforeach()
list(TRANSFORM psi_llvm_roots APPEND /bin OUTPUT_VARIABLE psi_llvm_bins)
list(TRANSFORM psi_llvm_roots APPEND /build/utils/lit OUTPUT_VARIABLE psi_lit_dirs)

find_program(PSI_LIT NAMES lit.py lit HINTS ${psi_lit_dirs} REQUIRED)
find_program(PSI_FILECHECK NAMES FileCheck FileCheck-19 HINTS ${psi_llvm_bins} REQUIRED)
find_program(PSI_NOT NAMES not not-19 HINTS ${psi_llvm_bins} REQUIRED)
find_program(PSI_SPLIT_FILE NAMES split-file split-file-19 HINTS ${psi_llvm_bins} REQUIRED)
find_program(PSI_DOT dot REQUIRED)
