// The views for programs. Blocks and registers are named as in the text; what the text leaves out because it
// is empty is an empty list.

#include <nlohmann/json.hpp>

#include "psi/analysis/augmented_tree.h"
#include "psi/analysis/cfg.h"
#include "psi/analysis/control_dependence.h"
#include "psi/analysis/dj_graph.h"
#include "psi/analysis/dominators.h"
#include "psi/analysis/frequencies.h"
#include "psi/analysis/frontiers.h"
#include "psi/analysis/loops.h"
#include "psi/analysis/order.h"
#include "psi/analysis/post_dominators.h"
#include "psi/live/liveness.h"
#include "view/page.h"
#include "view/views.h"

namespace psi::view {
namespace {

using Json = nlohmann::ordered_json;

class JsonPage {
 public:
  JsonPage(std::string_view view, const Module& module, const Function& function, Analyses& analyses)
      : page(module, function, analyses), all_{{"view", view}, {"function", module.name(function.symbol)}} {}

  template <class Id>
  Json names(std::span<const Id> ids) const {
    Json list = Json::array();
    for (Id id : ids) list.push_back(page.name(id));
    return list;
  }
  void set(const char* key, Json value) { all_[key] = std::move(value); }
  // One entry for each reachable block, with what `entry(b)` says of it; and the other blocks.
  template <class Entry>
  std::string blocks(Entry entry) {
    Json list = Json::array(), unreachable = Json::array();
    page.for_each_reachable([&](BlockId b) {
      Json one{{"block", page.name(b)}};
      one.update(entry(b));
      list.push_back(std::move(one));
    });
    for (BlockId b : page.function.layout()) {
      if (!page.analyses.get<Order>().is_reachable(b)) unreachable.push_back(page.name(b));
    }
    set("blocks", std::move(list));
    set("unreachable", std::move(unreachable));
    return text();
  }
  std::string text() const { return all_.dump(2); }

  Page page;

 private:
  Json all_;
};

Json name_or_null(const Page& page, BlockId b) { return b ? Json(page.name(b)) : Json(); }

}  // namespace

std::string cfg_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("cfg", module, function, analyses);
  const Cfg& cfg = analyses.get<Cfg>();
  return json.blocks([&](BlockId b) {
    Json edges = Json::array();
    for (uint32_t i = 0; i < cfg.successors(b).size(); ++i) {
      edges.push_back({{"to", json.page.name(cfg.successors(b)[i])},
                       {"probability", analyses.get<Frequencies>().probability({b, i})}});
    }
    return Json{{"edges", std::move(edges)}, {"leaves", json.page.leaving(b)}};
  });
}

std::string dom_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("dom", module, function, analyses);
  const Dominators& tree = analyses.get<Dominators>();
  return json.blocks([&](BlockId b) {
    return Json{{"level", tree.level(b)}, {"parent", name_or_null(json.page, tree.idom(b))}};
  });
}

std::string postdom_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("postdom", module, function, analyses);
  const PostDominators& tree = analyses.get<PostDominators>();
  return json.blocks([&](BlockId b) {
    return Json{{"level", tree.level(b)}, {"parent", name_or_null(json.page, tree.ipdom(b))}};
  });
}

std::string loops_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("loops", module, function, analyses);
  const Loops& loops = analyses.get<Loops>();
  Json list = Json::array();
  for (uint32_t i = 0; i < loops.num_loops(); ++i) {
    LoopId loop(i), up = loops.parent(loop);
    list.push_back({{"header", json.page.name(loops.header(loop))},
                    {"depth", loops.depth(loop)},
                    {"in", up ? Json(json.page.name(loops.header(up))) : Json()},
                    {"reducible", loops.is_reducible(loop)},
                    {"entries", json.names(loops.entries(loop))},
                    {"blocks", json.names(loops.blocks(loop))}});
  }
  json.set("loops", std::move(list));
  return json.text();
}

std::string frontiers_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("frontiers", module, function, analyses);
  return json.blocks(
      [&](BlockId b) { return Json{{"frontier", json.names(analyses.get<DominanceFrontiers>().of(b))}}; });
}

std::string dj_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("dj", module, function, analyses);
  const Dominators& tree = analyses.get<Dominators>();
  return json.blocks([&](BlockId b) {
    return Json{{"level", tree.level(b)},
                {"D-edges", json.names(tree.children(b))},
                {"J-edges", json.names(analyses.get<DjGraph>().join_edges(b))}};
  });
}

std::string adt_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("adt", module, function, analyses);
  const AugmentedTree& tree = analyses.get<AugmentedTree>();
  return json.blocks([&](BlockId b) {
    return Json{{"level", analyses.get<Dominators>().level(b)},
                {"kind", tree.is_boundary(b) ? "boundary" : "interior"},
                {"list", json.names(tree.list(b))}};
  });
}

std::string control_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("control", module, function, analyses);
  return json.blocks([&](BlockId b) {
    Json edges = Json::array();
    for (Edge edge : analyses.get<ControlDependence>().of(b)) {
      edges.push_back({{"from", json.page.name(edge.from)},
                       {"edge", edge.index},
                       {"to", json.page.name(analyses.get<Cfg>().target(edge))}});
    }
    return Json{{"edges", std::move(edges)}};
  });
}

std::string frequencies_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("frequencies", module, function, analyses);
  const Frequencies& frequencies = analyses.get<Frequencies>();
  json.set("measured", frequencies.source() != Frequencies::Source::Estimated);
  return json.blocks([&](BlockId b) { return Json{{"frequency", frequencies.of(b)}}; });
}

std::string liveness_json(const Module& module, const Function& function, Analyses& analyses) {
  JsonPage json("liveness", module, function, analyses);
  const Liveness& liveness = analyses.get<Liveness>();
  return json.blocks([&](BlockId b) {
    Json in = Json::array(), out = Json::array();
    liveness.for_each_live_in(b, [&](Reg r) { in.push_back(json.page.name(r)); });
    liveness.for_each_live_out(b, [&](Reg r) { out.push_back(json.page.name(r)); });
    return Json{{"live-in", std::move(in)}, {"live-out", std::move(out)}};
  });
}

}  // namespace psi::view
