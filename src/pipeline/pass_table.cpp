// The table of passes, in the order in which a compilation would use them.
#include "pipeline/pass_groups.h"
#include "psi/destruct.h"
#include "psi/pass.h"
#include "psi/reverse_if_convert.h"
#include "psi/scramble.h"
#include "psi/ssa.h"
#include "psi/transform.h"

namespace psi {
namespace {

const std::vector<Form> kAnyForm = {Form::Plain, Form::Ssa, Form::Conventional, Form::Allocated};

PassTable make_table() {
  PassTable table;
  table.add({.name = "dce-unreachable",
             .summary = "remove the blocks that no path from the entry reaches",
             .needs = kAnyForm,
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {},
             .run = [](PassContext& context) { dce_unreachable(context); }});
  table.add({.name = "construct",
             .summary = "into SSA form: phis where paths join, psis where guarded definitions merge",
             .needs = {Form::Plain},
             .makes = Form::Ssa,
             .keeps = Keeps::ControlFlow,
             .options = construct_options(),
             .after = {},
             .run = [](PassContext& context) { construct(context); }});
  add_constant_passes(table);
  add_simplification_passes(table);
  add_redundancy_passes(table);
  add_loop_passes(table);
  add_psi_passes(table);
  add_predication_passes(table);
  table.add({.name = "scramble",
             .summary = "for tests: make SSA form as unconventional as is legal",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = scramble_options(),
             .after = {},
             .run = [](PassContext& context) { scramble(context); }});
  table.add(
      {.name = "psi-normalize",
       .summary = "bring the arguments of psis into the order, and under the guards, of their definitions",
       .needs = {Form::Ssa},
       .makes = std::nullopt,
       .keeps = Keeps::ControlFlow,
       .options = psi_normalize_options(),
       .after = {},
       .run = psi_normalize});
  table.add({.name = "psi-web",
             .summary = "copy arguments of normalized psis that interfere",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = psi_web_options(),
             .after = {},
             .run = psi_web});
  table.add({.name = "destruct",
             .summary = "out of SSA form: phis and psis become registers and the fewest copies",
             .needs = {Form::Ssa, Form::Conventional},
             .makes = Form::Plain,
             .keeps = Keeps::Nothing,
             .options = destruct_options(),
             .after = {},
             .run = [](PassContext& context) { destruct(context); }});
  table.add({.name = "reverse-if-convert",
             .summary = "branches in the place of guards, as structured as the guards are",
             .needs = {Form::Plain},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = reverse_if_convert_options(),
             .after = {},
             .run = [](PassContext& context) { reverse_if_convert(context); }});
  table.add({.name = "strip-names",
             .summary = "remove the names of registers and blocks",
             .needs = kAnyForm,
             .makes = std::nullopt,
             .keeps = Keeps::All,
             .options = {},
             .after = {},
             .run = strip_names});
  add_pipelines(table);
  return table;
}

}  // namespace

const PassTable& PassTable::builtin() {
  static const PassTable kTable = make_table();
  return kTable;
}

}  // namespace psi
