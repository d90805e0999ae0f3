# Golden tests: every .psi, .test and .target file in tests/golden holds its commands in lines `# RUN: ...`, and what
# they must print in lines `# CHECK: ...` for FileCheck.
#
#   %psic        the tool of this build
#   %examples    the folder examples/
#   %s %t        the test file, and a name for a temporary file of its own
#   FileCheck, not, split-file
#   %check       FileCheck on whole lines, white space included: for carets, and for output that
#                scripts/update_golden writes
import os

import lit.formats

config.name = "golden"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".psi", ".test", ".target"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.psi_source_dir, "tests", "golden")
config.test_exec_root = os.path.join(config.psi_build_dir, "tests", "golden")

config.substitutions += [
    ("%psic", config.psi_psic),
    ("%examples", os.path.join(config.psi_source_dir, "examples")),
    ("%check", config.psi_filecheck + " --dump-input-filter=error --match-full-lines --strict-whitespace"),
    ("%python", config.psi_python),
    ("%split-file", config.psi_split_file),
    (r"(?<![-/\w%.])FileCheck(?![-/\w.])", config.psi_filecheck + " --dump-input-filter=error"),
    (r"(?<![-/\w%.])split-file(?![-/\w.])", config.psi_split_file),
    (r"(?<![-/\w%.])not(?= )", config.psi_not),
]

for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

if config.psi_sanitize:
    config.available_features.add("sanitized")
