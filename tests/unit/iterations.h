// How often a test tries something at random.
#pragma once

namespace psi::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr int kSlowdown = 8;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int kSlowdown = 8;
#else
inline constexpr int kSlowdown = 1;
#endif
#else
inline constexpr int kSlowdown = 1;
#endif

// `usual` times; under sanitizers, where each takes so much longer, less often.
template <class Number>
constexpr Number iterations(Number usual) {
  return usual / kSlowdown;
}

}  // namespace psi::testing
