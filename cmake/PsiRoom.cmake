# psi_room(NAME [DEPENDS ROOM...] [LIBRARIES TARGET...])
#
# The room in the current folder: target psi_NAME, alias psi::NAME, of all sources found here. It sees the
# public headers, and its own and other rooms' private headers as "ROOM/header.h". DEPENDS lists the rooms
# that it may use; LIBRARIES, what it needs from outside.
#
# Headers do not stop a room from calling one that it may not use, so each room is also linked whole
# against nothing but what it depends on (psi_NAME_links, part of the tests' build): an arrow in the wrong
# direction is an undefined symbol there.
function(psi_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "DEPENDS;LIBRARIES")
  set(target psi_${name})
  list(TRANSFORM room_DEPENDS PREPEND psi::)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)

  if(NOT sources)  # headers only
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${target} INTERFACE ${room_DEPENDS})
  else()
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                         PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PUBLIC ${room_DEPENDS}
                                    PRIVATE psi_options fmt::fmt ${room_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY PSI_COMPILED_ROOMS ${target})

    if(PSI_BUILD_TESTS)
      add_executable(${target}_links ${PROJECT_SOURCE_DIR}/cmake/empty_main.cpp)
      target_link_libraries(${target}_links PRIVATE psi_options $<LINK_LIBRARY:WHOLE_ARCHIVE,${target}>)
    endif()
  endif()
  add_library(psi::${name} ALIAS ${target})
endfunction()
