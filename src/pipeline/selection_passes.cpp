// From generic instructions to those of a target.
#include "pipeline/pass_groups.h"
#include "psi/select/legalise.h"
#include "psi/select/select.h"

namespace psi {

void add_selection_passes(PassTable& table) {
  table.add({.name = "legalise",
             .summary = "legal code for a complete target: types, operations and guards that it has",
             .needs = {Form::Plain, Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {{"if-convert", "if-convert looks at types and operations of the program"}},
             .run = [](PassContext& context) { legalise(context); },
             .needs_instructions = true,
             .declare =
                 [](Module& module, const PassArguments& arguments, const TargetTable& targets) {
                   if (const Target* target = targets.find(arguments.target()))
                     declare_routines(module, *target);
                 }});
  table.add({.name = "select",
             .summary = "select the instructions of a target",
             .needs = {Form::Plain, Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {{"legalise", "instructions of a target stand for what legalise leaves"},
                       {"if-convert", "if-convert looks at generic instructions"},
                       {"psi-lower", "psi-lower makes selects, which targets may have"}},
             .run = [](PassContext& context) { select_instructions(context); },
             .needs_instructions = true});
}

}  // namespace psi
