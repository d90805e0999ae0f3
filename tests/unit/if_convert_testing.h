// A function, and what is asked about its regions.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "parsing.h"
#include "predication/if_convert/hammocks.h"
#include "predication/if_convert/hyperblocks.h"

namespace psi::testing {

// Blocks go by their names.
class RegionBlocks {
 public:
  explicit RegionBlocks(const std::string& body, std::string_view target = "playdoh")
      : function_(parse_function("func $f(%p: i1, %q: i1, %r: i1, %x: i32, %out: ptr) -> i32 ssa {\n" + body +
                                 "}\n")),
        analyses_(function_),
        legality_(function_, analyses_, *TargetTable::builtin().find(target),
                  predication::UnreachableEnds::Join),
        hammocks_(function_, analyses_, legality_) {}

  BlockId block(std::string_view name) const { return find_block(function_, name); }
  std::string obstacle(std::string_view branch) const { return hammocks_.obstacle(block(branch)); }
  predication::Region hammock_region(std::string_view branch) const {
    return hammocks_.region(block(branch));
  }
  std::vector<std::string> hammock(std::string_view branch) const {
    EXPECT_EQ(obstacle(branch), "");
    return names(hammock_region(branch));
  }
  std::vector<std::vector<std::string>> hyperblocks(double min_probability = 0) {
    std::vector<std::vector<std::string>> all;
    for (const predication::Region& region :
         predication::hyperblocks(function_, analyses_, legality_, min_probability))
      all.push_back(names(region));
    return all;
  }
  const Function& function() const { return function_; }

 private:
  std::vector<std::string> names(const predication::Region& region) const {
    std::vector<std::string> list;
    for (BlockId b : region.blocks) list.emplace_back(function_.name(b));
    return list;
  }

  Function function_;
  Analyses analyses_;
  predication::Legality legality_;
  predication::Hammocks hammocks_;
};

// (p and q) or r.
inline constexpr const char* kParallelOr = R"(@a:
  br %p, @b, @c
@b:
  br %q, @yes, @c
@c:
  br %r, @yes, @join
@yes:
  store.i32 %x, %out
  br @join
@join:
  ret 0
)";

}  // namespace psi::testing
