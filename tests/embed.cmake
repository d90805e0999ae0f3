# Installs the build into a scratch folder and embeds it as a user would: examples/embed is built once with
# find_package and once with pkg-config, and must print what its README shows. So must examples/embed-llvm, if
# the bridge was built (llvm_example_dir is given).
foreach(name build_dir example_dir scratch_dir compiler generator libdir)
  if(NOT ${name})
    message(FATAL_ERROR "missing -D ${name}=...")
  endif()
endforeach()
set(prefix ${scratch_dir}/prefix)
file(REMOVE_RECURSE ${scratch_dir})
file(MAKE_DIRECTORY ${scratch_dir})

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_readme_output program folder)
  run(${program})
  file(READ ${folder}/README.md readme)
  string(FIND "${readme}" "```text\n${output}```" at)
  if(output STREQUAL "" OR at EQUAL -1)
    message(FATAL_ERROR "${program} does not print what ${folder}/README.md shows, but:\n${output}")
  endif()
endfunction()

function(build_with_cmake folder build)
  string(JOIN " " flag_text ${flags})
  run(${CMAKE_COMMAND} -S ${folder} -B ${build} -G ${generator}
      -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_CXX_FLAGS=${flag_text} -D CMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${build})
endfunction()

run(${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})

build_with_cmake(${example_dir} ${scratch_dir}/build)
expect_readme_output(${scratch_dir}/build/embed ${example_dir})
if(llvm_example_dir)
  build_with_cmake(${llvm_example_dir} ${scratch_dir}/build-llvm)
  expect_readme_output(${scratch_dir}/build-llvm/embed-llvm ${llvm_example_dir})
endif()

set(ENV{PKG_CONFIG_PATH} ${prefix}/${libdir}/pkgconfig)
run(pkg-config --cflags --libs psi)
separate_arguments(psi_flags UNIX_COMMAND "${output}")
run(${compiler} -std=c++20 ${flags} ${example_dir}/main.cpp -o ${scratch_dir}/embed_pkg_config ${psi_flags})
expect_readme_output(${scratch_dir}/embed_pkg_config ${example_dir})

# A compiler that was installed finds its plugin.
if(EXISTS ${prefix}/bin/psicc)
  file(WRITE ${scratch_dir}/a.c "int f(int a, int b) { return a > b ? a * 3 : b; }\n")
  run(${prefix}/bin/psicc -O2 -c ${scratch_dir}/a.c -o ${scratch_dir}/a.o)
endif()

# The installed tool works, and both descriptions name the same version.
run(${prefix}/bin/psic --version)
set(tool_version ${output})
run(pkg-config --modversion psi)
string(STRIP "${output}" pc_version)
string(FIND "${tool_version}" "${pc_version}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "psic --version prints ${tool_version}, but psi.pc says ${pc_version}")
endif()
