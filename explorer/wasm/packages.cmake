# What the library needs from outside, as headers alone. /usr/include holds the host's C library, too, so it cannot
# be searched itself: links to what is needed stand in a folder of their own.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(package fmt nlohmann)
  find_path(${package}_folder NAMES ${package} PATHS /usr/include /usr/local/include REQUIRED NO_DEFAULT_PATH)
  file(CREATE_LINK ${${package}_folder}/${package} ${headers}/${package} SYMBOLIC)
endforeach()

add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_include_directories(fmt::fmt SYSTEM INTERFACE ${headers})
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY FMT_EXCEPTIONS=0)
add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE ${headers})
target_compile_definitions(nlohmann_json::nlohmann_json INTERFACE JSON_NOEXCEPTION)
# A page has one thread.
include_directories(BEFORE SYSTEM ${CMAKE_CURRENT_LIST_DIR}/serial)
add_library(TBB::tbb INTERFACE IMPORTED GLOBAL)
