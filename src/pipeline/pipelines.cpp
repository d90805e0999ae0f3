// The pipelines: what -O1 and -O2 stand for.
//
// Each ends in a group that is repeated until none of its passes finds anything to do, so that running it
// again changes nothing. O2 first does with the passes that shrink a function most, so that the others have
// less to look at.
#include "pipeline/pass_groups.h"

namespace psi {

void add_pipelines(PassTable& table) {
  table.add(Pipeline{"O1", "optimise, with what is cheap",
                     "fixpoint(copy-propagate,sccp,simplify,gvn(scope=dominator),adce,simplify-cfg)"});
  table.add(
      Pipeline{"O2", "optimise",
               "fixpoint(copy-propagate,sccp,simplify,gvn,adce,simplify-cfg),"
               "fixpoint(copy-propagate,sccp,simplify,ranges,simplify-predicates,psi-inline,psi-reduce,"
               "psi-project,psi-promote,speculate,gvn,guarded-redundancy,pre,induction,adce,simplify-cfg,"
               "addresses)"});
}

}  // namespace psi
