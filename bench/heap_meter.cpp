// The program's own malloc takes the place of the C library's, in libraries too, and passes everything on.
#include "heap_meter.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace {

bool metering = false;
int64_t live = 0, most = 0;

void* gained(void* memory) {
  if (metering && memory) {
    live += static_cast<int64_t>(malloc_usable_size(memory));
    most = std::max(most, live);
  }
  return memory;
}

void lost(void* memory) {
  if (metering && memory) live -= static_cast<int64_t>(malloc_usable_size(memory));
}

}  // namespace

extern "C" {

void* malloc(size_t size) { return gained(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return gained(__libc_calloc(count, size)); }
void* memalign(size_t alignment, size_t size) { return gained(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void* realloc(void* memory, size_t size) {
  lost(memory);
  return gained(__libc_realloc(memory, size));
}

void free(void* memory) {
  lost(memory);
  __libc_free(memory);
}
}

namespace psi::bench {

HeapMeter::HeapMeter() {
  live = most = 0;
  metering = true;
}
HeapMeter::~HeapMeter() { metering = false; }
size_t HeapMeter::peak() const { return static_cast<size_t>(most); }

}  // namespace psi::bench
