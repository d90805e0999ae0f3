// The page that draws the data of explore_as_json.
#pragma once

#include <string>
#include <string_view>

namespace psic {

// The page with this data in it, whose text is escaped so that it cannot end its element.
std::string explorer_page(std::string_view data);

}  // namespace psic
