// The pipelines: what -O1 and -O2 stand for.
//
// Each is a group that is repeated until none of its passes changes anything, so that a second run changes
// nothing. Dead code is removed first: construction leaves phis that only feed each other, which all later
// passes would visit.
#include "pipeline/pass_groups.h"

namespace psi {

void add_pipelines(PassTable& table) {
  table.add(Pipeline{"O1", "optimise, with what is cheap",
                     "adce,fixpoint(copy-propagate,sccp,simplify,gvn(scope=dominator),adce,simplify-cfg)"});
  table.add(
      Pipeline{"O2", "optimise",
               "adce,fixpoint(copy-propagate,sccp,simplify,ranges,simplify-predicates,psi-inline,psi-reduce,"
               "psi-project,psi-promote,speculate,gvn,guarded-redundancy,pre,dse,induction,adce,"
               "simplify-cfg,addresses)"});
}

}  // namespace psi
