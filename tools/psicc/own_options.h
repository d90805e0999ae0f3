// psicc's own options, for what parses, explains and completes them.
#pragma once

#include <array>
#include <string_view>

namespace psicc {

struct OwnOption {
  std::string_view name;
  std::string_view value;  // `a|b`, or what it is: LIST (of passes), TARGET, FILE, DIR, PATH; empty: none
  bool is_value_optional;
  std::string_view about;
};

inline constexpr std::array kOwnOptions = {
    OwnOption{"-fpsi-at", "late|early", false, "work after vectorisation (the default), or before it"},
    OwnOption{"-fpsi-mode", "cost|all", false,
              "convert branches where it pays (the default), or wherever it is right"},
    OwnOption{"-fpsi-passes", "LIST", false,
              "psic's passes, in place of the usual ones; 'psic passes' lists them"},
    OwnOption{"-fpsi-target", "TARGET", false,
              "the target whose costs psic uses, instead of the one compiled for; 'psic targets' "
              "lists them"},
    OwnOption{"-fpsi-remarks", "FILE", true,
              "say what was done, and what was not and why; in FILE, or as remarks of the compiler"},
    OwnOption{"-fno-psi-remarks", "", false, "no remarks (the default)"},
    OwnOption{"-fpsi-unpredictable", "", false,
              "branches without a profile are hard to predict, but for those that leave loops"},
    OwnOption{"-fno-psi-unpredictable", "", false,
              "only those are that __builtin_unpredictable names (the default)"},
    OwnOption{
        "-fpsi-profile-generate", "DIR", true,
        "make a program that measures how often branches are taken, and predicted, and writes it to DIR"},
    OwnOption{"-fpsi-profile-use", "PATH", false,
              "use what it measured: a .profdata or .profraw file, or the folder"},
    OwnOption{"-fno-psi", "", false, "be clang"},
    OwnOption{"-fpsi", "", false, "be psicc (the default)"},
};

}  // namespace psicc
