// What the table says of passes is true: on random programs and on kernels, each pass keeps what its entry
// says and no entry says too little; those that only move code change no operation; required orderings are
// needed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "destruct_testing.h"
#include "parsing.h"
#include "pipeline/fingerprint.h"
#include "psi/pipeline/pipeline.h"
#include "psi/testing/generate.h"
#include "support/hash.h"

namespace psi {
namespace {

using testing::for_each_body;
using testing::parse_or_die;

PassList passes_or_die(std::string_view text) {
  Result<PassList> passes = parse_passes(PassTable::builtin(), text);
  EXPECT_TRUE(passes) << passes.message();
  return passes ? *passes : PassList();
}

void run_or_fail(Module& module, const PassList& passes, bool verify_each = false) {
  PipelineOptions options;
  options.verify_each = verify_each;
  PipelineResult result = run_passes(module, passes, options);
  EXPECT_TRUE(result) << result.message();
}

// In plain form: kernels, and random programs of all shapes, with counts and without.
const std::vector<Module>& programs() {
  static const std::vector<Module> kPrograms = [] {
    std::vector<Module> all;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(PSI_KERNELS)) {
      if (entry.path().extension() == ".psi") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    for (const auto& path : paths) {
      std::ifstream file(path);
      std::stringstream text;
      text << file.rdbuf();
      all.push_back(parse_or_die(text.str()));
    }
    EXPECT_FALSE(all.empty());
    for (uint64_t seed = 0; seed < 60; ++seed) {
      GenerateOptions options;
      options.seed = seed;
      options.size = 20 + 4 * seed;
      options.shape =
          std::array{Shape::Structured, Shape::Irreducible, Shape::Straight, Shape::Mixed}[seed % 4];
      options.annotations = seed % 3 == 0;
      all.push_back(generate(options));
    }
    return all;
  }();
  return kPrograms;
}

// What brings a function into a form, in several ways.
std::vector<std::string> ways_to(Form form) {
  if (form == Form::Plain) return {"", "construct,if-convert(mode=all),destruct"};
  return {"construct", "construct,if-convert(mode=all)", "construct,scramble(seed=1)"};
}

// Every combination of a pass, a program, and a way to the form that the pass needs. Kernels may be in any
// form.
template <class Visit>
void for_each_input(const Pass& pass, Visit visit) {
  Form form = pass.accepts(Form::Ssa) ? Form::Ssa : Form::Plain;
  for (const std::string& way : ways_to(form)) {
    PassList before = passes_or_die(way);
    for (const Module& program : programs()) {
      Module module = program;
      bool fits = true;
      for_each_body(module, [&](Function& function) { fits = fits && function.form == Form::Plain; });
      if (!fits) continue;
      run_or_fail(module, before);
      visit(module);
    }
  }
}

uint64_t control_flow_of(Module& module) {
  Hash hash;
  for_each_body(module, [&](Function& function) { hash.add(fingerprint(function).control_flow); });
  return hash.value();
}

TEST(PassClaims, passes_keep_what_they_say_and_say_all_that_they_keep) {
  // Only measured selects, conditions and headers interest these, and random programs have few.
  const std::set<std::string> seldom = {"branch-selects", "split-conditions", "copy-headers"};
  for (const Pass& pass : PassTable::builtin().all()) {
    if (pass.needs_instructions) continue;  // of a target; fuzz/passes.txt has lists for one
    PassList list = passes_or_die(pass.name);
    bool changes_flow = false, changes_text = false;
    for_each_input(pass, [&](Module& module) {
      uint64_t flow = control_flow_of(module);
      std::string text = print(module);
      // Says if it keeps less.
      run_or_fail(module, list, true);
      changes_flow = changes_flow || control_flow_of(module) != flow;
      changes_text = changes_text || print(module) != text;
    });
    if (seldom.contains(pass.name)) continue;
    EXPECT_TRUE(changes_text) << pass.name << " has nothing to do in any program";
    EXPECT_EQ(pass.keeps == Keeps::Nothing, changes_flow) << pass.name << " keeps control flow";
  }
}

// Can a new instruction take the place of another, and its source, without computing anything new?
bool is_glue(const Inst& inst) {
  switch (inst.op) {
    case Opcode::Phi:
    case Opcode::Psi:
    case Opcode::Select:
    case Opcode::Mov:
    case Opcode::Freeze:
    case Opcode::Br:
      return true;
    default:
      return inst.type == Type::i1;  // predicates
  }
}

TEST(PassClaims, passes_that_only_move_code_change_no_operation) {
  std::map<std::string, uint64_t> changed;
  for (const Pass& pass : PassTable::builtin().all()) {
    if (pass.needs_instructions) continue;  // of a target; fuzz/passes.txt has lists for one
    if (!pass.accepts(Form::Ssa) || pass.makes) continue;
    PassList list = passes_or_die(pass.name);
    uint64_t& count = changed[pass.name];
    for_each_input(pass, [&](Module& module) {
      std::map<SymbolId, std::vector<Inst>> before;
      for_each_body(module, [&](Function& function) {
        std::vector<Inst>& insts = before[function.symbol];
        for (uint32_t i = 0; i < function.num_insts(); ++i) {
          function.set_origin(InstId(i), i + 1);
          insts.push_back(function.inst(InstId(i)));
        }
      });
      run_or_fail(module, list);
      for_each_body(module, [&](Function& function) {
        for (BlockId b : function.layout()) {
          for (InstId id : function.insts(b)) {
            const Inst& inst = function.inst(id);
            uint32_t origin = function.origin(id);
            if (origin == 0 || is_glue(inst)) continue;
            const Inst& source = before[function.symbol][origin - 1];
            count += inst.op != source.op || inst.type != source.type;
          }
        }
      });
    });
    EXPECT_TRUE(!pass.only_moves || count == 0) << pass.name << ": " << count;
  }
  // What does change operations is seen.
  for (const char* pass : {"simplify", "ranges", "induction"}) EXPECT_GT(changed[pass], 0u) << pass;
}

TEST(PassClaims, required_orderings_are_needed) {
  for (const Pass& later : PassTable::builtin().all()) {
    for (const PassOrdering& ordering : later.after) {
      if (!ordering.is_required()) continue;
      bool finds_work_before = false;
      // Also with passes between that give no work.
      for (std::string_view between : {"", "gvn", "simplify", "psi-promote"}) {
        // Other passes need not leave psis as psi-web wants them.
        if (later.name == "psi-web" && !between.empty()) continue;
        PassList late = passes_or_die(later.name), early = passes_or_die(ordering.earlier);
        PassList other = passes_or_die(between);
        for_each_input(later, [&](Module& module) {
          Module alone = module;
          std::string before = print(module);
          run_or_fail(alone, early);
          finds_work_before = finds_work_before || print(alone) != before;
          run_or_fail(module, late);
          run_or_fail(module, other);
          before = print(module);
          run_or_fail(module, early);
          EXPECT_TRUE(print(module) == before)
              << ordering.earlier << " behind " << later.name << " and '" << between << "'";
        });
      }
      EXPECT_TRUE(finds_work_before) << ordering.earlier;
    }
  }
}

}  // namespace
}  // namespace psi
