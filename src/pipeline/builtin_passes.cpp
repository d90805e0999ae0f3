// The table of passes, in compilation order.
#include "pipeline/pass_groups.h"
#include "psi/cfg/unreachable.h"
#include "psi/destruct/destruct.h"
#include "psi/legal/legal.h"
#include "psi/pipeline/pass_table.h"
#include "psi/predication/reverse_if_convert.h"
#include "psi/scramble/scramble.h"
#include "psi/ssa/construct.h"

namespace psi {
namespace {

const std::vector<Form> kAnyForm = {Form::Plain, Form::Ssa, Form::Conventional, Form::Allocated};

std::vector<PassOption> options_out_of_ssa() {
  std::vector<PassOption> options = destruct_options();
  options.push_back(
      PassOption::target("lower what this target lacks: guards, selects, cmpps, literals, addresses"));
  return options;
}

PassTable make_table() {
  PassTable table;
  table.add({.name = "dce-unreachable",
             .summary = "remove unreachable blocks",
             .needs = kAnyForm,
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {},
             .after = {},
             .run = [](PassContext& context) { dce_unreachable(context); },
             .only_moves = true,
             .works_on = WorksOn::Both});
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
             .keeps = Keeps::ControlFlow,
             .options = scramble_options(),
             .after = {},
             .run = [](PassContext& context) { scramble_ssa(context); },
             .for_tests = true});
  table.add({.name = "psi-normalize",
             .summary = "normalize psis: arguments in the order and under the guards of their definitions",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = psi_normalize_options(),
             .after = {},
             .run = psi_normalize,
             .only_moves = true,
             .works_on = WorksOn::Both});
  table.add({.name = "psi-web",
             .summary = "copy arguments of normalized psis that interfere",
             .needs = {Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::ControlFlow,
             .options = psi_web_options(),
             .after = {{"psi-normalize", "psi-web normalizes what is not normalized, and relies on it",
                        PassOrdering::Kind::Required}},
             .run = psi_web,
             .only_moves = true,
             .works_on = WorksOn::Both});
  table.add({.name = "destruct",
             .summary = "out of SSA form: phis and psis become registers and the fewest copies",
             .needs = {Form::Ssa, Form::Conventional},
             .makes = Form::Plain,
             .keeps = Keeps::Nothing,
             .options = options_out_of_ssa(),
             .after = {},
             .run =
                 [](PassContext& context) {
                   destruct_ssa(context);
                   // The default, `generic`, executes everything.
                   const Target& target = context.target();
                   if (&target == &context.targets.all().front()) return;
                   lower_for_target(context.module, context.function, context.analyses, target,
                                    context.counters);
                 },
             .works_on = WorksOn::Both});
  table.add({.name = "reverse-if-convert",
             .summary = "turn guards into branches, as structured as the guards are",
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
             .run = strip_names,
             .only_moves = true,
             .works_on = WorksOn::Both});
  add_selection_passes(table);
  add_pipelines(table);
  return table;
}

}  // namespace

const PassTable& PassTable::builtin() {
  static const PassTable kTable = make_table();
  return kTable;
}

}  // namespace psi
