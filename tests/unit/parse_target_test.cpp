#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "iterations.h"
#include "psi/target/target.h"
#include "target/builtin_texts.h"

namespace psi {
namespace {

using ::testing::HasSubstr;

std::string text_of_machine(std::string_view file) {
  for (const target::BuiltinText& machine : target::builtin_texts()) {
    if (machine.file == file) return std::string(machine.text);
  }
  ADD_FAILURE() << "no " << file;
  return {};
}

// The description of `select` with one thing changed.
std::string changed(std::string_view from, std::string_view to) {
  std::string text = text_of_machine("select.target");
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string target_errors(std::string_view text) {
  Result<Target> target = parse_target(text);
  EXPECT_EQ(target.ok(), !target.diagnostics().has_errors());
  return render(target, "m", text);
}

TEST(ParseTarget, ReadsAllMachinesOfTheLibrary) {
  // One text is no machine: others use it.
  ASSERT_EQ(target::builtin_texts().size(), targets().size() + 1);
  for (const target::BuiltinText& machine : target::builtin_texts()) {
    if (machine.file == target::kCommonFile) continue;
    EXPECT_EQ(target_errors(machine.text), "");
    std::string name(machine.file.substr(0, machine.file.rfind('.')));
    ASSERT_NE(find_target(name), nullptr) << machine.file;
    EXPECT_EQ(find_target(name)->name, name);
  }
}

TEST(ParseTarget, ReadsWhatIsPrinted) {
  for (const Target& target : targets()) {
    std::string text = print(target);
    Result<Target> again = parse_target(text);
    ASSERT_TRUE(again) << render(again, target.name, text);
    EXPECT_EQ(print(*again), text);
    // Printing may lose nothing that the questions are answered from.
    EXPECT_EQ(again->guarded, target.guarded);
    EXPECT_EQ(again->actions, target.actions);
    EXPECT_EQ(again->units, target.units);
    EXPECT_EQ(again->latencies, target.latencies);
    EXPECT_EQ(again->branch_cost, target.branch_cost);
    EXPECT_EQ(again->misprediction, target.misprediction);
    for (int64_t scale : {0, 1, 2, 3, 4, 8}) {
      for (int64_t offset : {0, 1, 64, 255, 256, 2048, 1 << 20}) {
        EXPECT_EQ(again->can_access(scale, offset, 4), target.can_access(scale, offset, 4));
      }
    }
  }
}

TEST(ParseTarget, KnowsWhatIsNotSaid) {
  Result<Target> target = parse_target(changed("select        yes\n", ""));
  ASSERT_TRUE(target);
  EXPECT_FALSE(target->has_select);
  EXPECT_EQ(target->latency(OpGroup::Move), 1u);
  EXPECT_EQ(target->latency(OpGroup::Compare), 1u);
  EXPECT_EQ(target->register_class(RegisterKind::Predicate).count, 0u);
  EXPECT_FALSE(target->immediates[static_cast<size_t>(OpGroup::Multiply)]);
}

TEST(ParseTarget, ReadsGroupsAndOpcodes) {
  Result<Target> target = parse_target(changed("guards        none", "guards move load sub"));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->predication(), Predication::Partial);
  for (Opcode op : {Opcode::Mov, Opcode::Freeze, Opcode::Load, Opcode::Sub}) {
    EXPECT_TRUE(target->can_guard(op)) << info(op).name;
  }
  EXPECT_FALSE(target->can_guard(Opcode::Add));
  EXPECT_FALSE(target->can_guard(Opcode::Store));
}

TEST(ParseTarget, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(target_errors(changed("width         3", "widht         3")).substr(0, 90),
            "m:13:1: error: section 'issue' has no key 'widht' (did you mean 'width'?)\n  widht         ");
  EXPECT_THAT(target_errors(changed("width         3", "width         0")),
              HasSubstr("m:13:15: error: 0 is out of range: 'width' goes from 1 to 64\n"));
  EXPECT_THAT(target_errors(changed("width         3", "width         99999999999999999999")),
              HasSubstr("out of range"));
  EXPECT_THAT(target_errors(changed("width         3", "width         -1")),
              HasSubstr("expected a number, found '-1'"));
  EXPECT_THAT(target_errors(changed("width         3", "width         3\nwidth 3")),
              HasSubstr("m:14:1: error: 'width' is given twice\n"));
  EXPECT_THAT(target_errors(changed("width         3\n", "")),
              HasSubstr("m:11:1: error: section 'issue' must say 'width'\n"));
  EXPECT_THAT(target_errors(changed("width         3", "taken         3")),
              HasSubstr("section 'issue' has no key 'taken'; section 'branch' has"));
  EXPECT_THAT(target_errors(changed("width         3", "summary       3")),
              HasSubstr("section 'issue' has no key 'summary'; it stands before the first section"));
  EXPECT_THAT(target_errors(changed("[issue]", "[isue]")),
              HasSubstr("there is no section 'isue' (did you mean 'issue'?)"));
  EXPECT_THAT(target_errors(changed("[issue]", "[issue")), HasSubstr("expected a section"));
  EXPECT_THAT(target_errors(changed("guards        none", "guards        none add")),
              HasSubstr("'none' stands alone"));
  EXPECT_THAT(target_errors(changed("guards        none", "guards        ad")),
              HasSubstr("'ad' is neither an opcode nor a group of them (did you mean 'add'?)"));
  EXPECT_THAT(target_errors(changed("guards        none", "guards        psi")),
              HasSubstr("no machine executes a psi"));
  EXPECT_THAT(target_errors(changed("guards        none", "guards        none\nredirected    load call")),
              HasSubstr("'call' cannot be redirected: only load, store and divide can"));
  EXPECT_THAT(target_errors(changed("order         out", "order         some")),
              HasSubstr("expected 'out' or 'in', found 'some'"));
  EXPECT_THAT(target_errors(changed("cmpp          none", "cmpp          un up")),
              HasSubstr("'up' is no action of cmpp"));
  EXPECT_THAT(target_errors(changed("select        yes", "select        maybe")),
              HasSubstr("expected 'yes' or 'no', found 'maybe'"));
  EXPECT_THAT(target_errors(changed("select        yes", "select")), HasSubstr("'select' has no value"));
  EXPECT_THAT(target_errors(changed("select        yes", "select        yes no")),
              HasSubstr("nothing more is expected after 'yes'"));
  EXPECT_THAT(target_errors(changed("float         2", "float         none")),
              HasSubstr("no unit executes these"));
  EXPECT_THAT(target_errors(changed("general       16 r", "general       16")),
              HasSubstr("expected what the names of these registers begin with"));
  EXPECT_THAT(target_errors(changed("general       16 r", "general       none")),
              HasSubstr("expected a number, found 'none'"));
  EXPECT_THAT(target_errors(changed("store         0..0", "store         5..-5")), HasSubstr("is empty"));
  EXPECT_THAT(target_errors(changed("store         0..0", "store         0..9223372036854775808")),
              HasSubstr("do not fit 64 bits"));
  EXPECT_THAT(target_errors(changed("store         0..0", "store         5")), HasSubstr("expected a range"));
  EXPECT_THAT(target_errors(changed("0..4095 scaled", "0..4095 sealed")),
              HasSubstr("expected 'scaled' or 'extended', found 'sealed'"));
  EXPECT_THAT(target_errors(changed("index         1 size", "index         3")),
              HasSubstr("expected 'size' or a power of two"));
  EXPECT_THAT(target_errors(changed("machine       select", "machine       a,b")),
              HasSubstr("the name of a target is made of"));
}

TEST(ParseTarget, SaysWhatIsMissing) {
  EXPECT_THAT(target_errors(""), HasSubstr("m: error: the key 'machine' is missing"));
  EXPECT_THAT(target_errors(""), HasSubstr("m: error: section 'latency' is missing\n"));
}

TEST(ParseTarget, SurvivesAnyBytes) {
  std::mt19937 random(1);
  auto below = [&](size_t bound) { return bound == 0 ? size_t{0} : random() % bound; };
  const std::string pieces[] = {"[",  "]", "#",          "\n",     " none", " all",
                                "..", "-", "9999999999", "guards", "\r",    "\t"};
  size_t read = 0;
  for (int iteration = 0; iteration < testing::iterations(4000); ++iteration) {
    std::string text = iteration % 8 == 0
                           ? std::string(below(200), ' ')
                           : std::string(target::builtin_texts()[below(targets().size())].text);
    if (iteration % 8 == 0) {
      for (char& c : text) c = static_cast<char>(random());
    }
    for (size_t edits = below(6); edits > 0 && !text.empty(); --edits) {
      size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, 1 + below(20));
          break;
        default:
          text.insert(at, pieces[below(std::size(pieces))]);
      }
    }
    Result<Target> target = parse_target(text);
    ASSERT_EQ(target.ok(), !target.diagnostics().has_errors()) << text;
    if (!target) {
      ASSERT_NE(render(target, "m", text), "");
      continue;
    }
    ++read;
    std::string printed = print(*target);
    Result<Target> reread = parse_target(printed);
    ASSERT_TRUE(reread) << render(reread, "printed", printed);
    ASSERT_EQ(print(*reread), printed);
  }
  // Both ways were taken.
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace psi
