// What Debian's C++ library for WebAssembly leaves out: exceptions. psic throws only when memory ends; the
// page then says so and makes a new instance.
#include <cstddef>

extern "C" {

void* __cxa_allocate_exception(size_t) { __builtin_trap(); }
void __cxa_throw(void*, void*, void (*)(void*)) { __builtin_trap(); }

}  // extern "C"
