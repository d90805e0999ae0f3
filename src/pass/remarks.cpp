#include "psi/pass/remarks.h"

#include <iterator>

#include "psi/ir/display_names.h"

namespace psi {

void Remarks::begin(std::string_view pass, std::string_view function) {
  pass_ = pass;
  function_ = function;
}

void Remarks::add(Remark::Kind kind, const Function& function, InstId about, std::string message) {
  std::string subject;
  const Inst& inst = function.inst(about);
  if (inst.results[0]) {
    DisplayNames::as_stored(function).append(subject, inst.results[0]);
  } else {
    subject = info(inst.op).name;
  }
  all_.push_back({kind, pass_, function_, std::move(subject), function.line(about), function.origin(about),
                  std::move(message), about});
}

void Remarks::add(Remarks other) {
  all_.insert(all_.end(), std::make_move_iterator(other.all_.begin()),
              std::make_move_iterator(other.all_.end()));
}

}  // namespace psi
