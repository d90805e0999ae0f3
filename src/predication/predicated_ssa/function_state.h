// The shared state of the conversions of all regions of a function.
#pragma once

#include <cstdint>
#include <vector>

#include "predication/predicated_ssa/path_values.h"
#include "psi/analysis/regions.h"
#include "psi/analysis/uses.h"
#include "psi/pass/analyses.h"
#include "psi/predication/predicated_ssa.h"

namespace psi::predication {

// Conversions add to the function and leave its blocks unchanged; pending changes are collected here.
struct FunctionState {
  struct Handed {
    InstId phi;
    BlockId from;
    Operand value;
  };

  FunctionState(Function& function, Analyses& analyses, const PredicatedSsaOptions& options);

  bool does_escape(Reg r) const { return r.index() < escapes.size() && escapes[r.index()] != 0; }
  void replace(Reg r, Operand by);
  bool is_partial(Operand value) const {
    return value.reads_reg() && value.reg().index() < partial.size() && partial[value.reg().index()] != 0;
  }

  // Is the register defined under exactly this guard? Conversion preserves that.
  bool is_defined_under(Operand value, Operand guard) const {
    if (!value.reads_reg()) return true;
    InstId id = analyses.get<Uses>().definition(value.reg());
    return id && !function.inst(id).is_psi() && function.inst(id).guard.as_operand() == guard;
  }

  Function& function;
  Analyses& analyses;  // of the original function
  const PredicatedSsaOptions& options;
  Regions regions;
  std::vector<uint8_t> escapes;             // by Reg: read outside the region of its definition
  std::vector<uint8_t> psi_reads;           // by Reg: a psi there takes it, and not as its first argument
  std::vector<uint8_t> partial;             // by Reg: may be undefined where its block is executed
  std::vector<Operand> replaced;            // by Reg: its replacement; none: itself
  std::vector<std::vector<Path>> arriving;  // by BlockId
  std::vector<Handed> handed;               // phi entries that replace those from a region's blocks
};

}  // namespace psi::predication
