// From generic instructions to those of a target.
#include "pipeline/pass_groups.h"
#include "psi/select/select.h"

namespace psi {

void add_selection_passes(PassTable& table) {
  table.add({.name = "select",
             .summary = "select the instructions of a target",
             .needs = {Form::Plain, Form::Ssa},
             .makes = std::nullopt,
             .keeps = Keeps::Nothing,
             .options = {PassOption::target()},
             .after = {{"if-convert", "if-convert looks at generic instructions"},
                       {"psi-lower", "psi-lower makes selects, which targets may have"}},
             .run = [](PassContext& context) { select_instructions(context); }});
}

}  // namespace psi
