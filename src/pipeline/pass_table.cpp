// The table of passes, in the order in which a compilation would use them.
#include "psi/pass.h"
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
             .run = dce_unreachable});
  table.add({.name = "construct",
             .summary = "into SSA form: phis where paths join, psis where guarded definitions merge",
             .needs = {Form::Plain},
             .makes = Form::Ssa,
             .keeps = Keeps::ControlFlow,
             .options = construct_options(),
             .after = {},
             .run = [](PassContext& context) { construct(context); }});
  table.add({.name = "strip-names",
             .summary = "remove the names of registers and blocks",
             .needs = kAnyForm,
             .makes = std::nullopt,
             .keeps = Keeps::All,
             .options = {},
             .after = {},
             .run = strip_names});
  return table;
}

}  // namespace

const PassTable& PassTable::builtin() {
  static const PassTable kTable = make_table();
  return kTable;
}

}  // namespace psi
