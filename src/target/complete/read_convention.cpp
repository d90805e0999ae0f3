// Sections `convention`, `frame`, `loops` and `assembly`.
#include <fmt/format.h>

#include <algorithm>

#include "psi/support/suggestion.h"
#include "target/complete/reader.h"

namespace psi::target {

void DescriptionReader::read_convention() {
  constexpr std::array<std::string_view, 11> kKeys = {"arguments", "order", "callee",   "result",
                                                      "structure", "stack", "variadic", "preserved",
                                                      "routine",   "byval", "hook"};
  report_unknown_keys("convention", kKeys);
  Convention& convention = description_->convention;
  auto rule = [&](Cursor& cursor, std::vector<ArgumentRule>& rules) {
    ArgumentRule made;
    made.types = take_types(cursor);
    if (made.types.empty()) return;
    made.registers = take_registers(cursor);
    for (uint32_t index : made.registers) {
      const MachineRegister& reg = description_->registers[index];
      for (Type type : made.types) {
        if (std::ranges::any_of(reg.types, [&](Type one) { return width(one) == width(type); })) continue;
        fail(cursor.line().where(), fmt::format("{} does not hold {}", reg.name, type_name(type)));
        return;
      }
    }
    for (const ArgumentRule& other : rules) {
      for (Type type : made.types) {
        if (std::ranges::find(other.types, type) == other.types.end()) continue;
        fail(cursor.line().where(), fmt::format("the registers of {} are given twice", type_name(type)));
      }
    }
    rules.push_back(std::move(made));
  };
  each_key("convention", "arguments", [&](Cursor& cursor) { rule(cursor, convention.arguments); });
  each_key("convention", "result", [&](Cursor& cursor) { rule(cursor, convention.results); });
  single_key("convention", "order",
             [&](Cursor& cursor) { convention.in_order = choose_word(cursor, "forward", "free"); });
  single_key("convention", "callee", [&](Cursor& cursor) { convention.callee = take_registers(cursor); });
  single_key("convention", "structure",
             [&](Cursor& cursor) { convention.structure = take_register(cursor); });
  single_key("convention", "stack", [&](Cursor& cursor) {
    if (auto bytes = cursor.take_number(1, 64, "a number of bytes"))
      convention.stack_bytes = static_cast<uint32_t>(*bytes);
    if (!cursor.accept_word("offset")) return;
    if (auto offset = cursor.take_number(0, 4096, "a number of bytes")) convention.stack_offset = *offset;
  });
  single_key("convention", "variadic", [&](Cursor& cursor) {
    convention.variadic_on_stack = cursor.accept_word("stack");
    if (convention.variadic_on_stack) return;
    if (!cursor.accept_word("registers"))
      return cursor.fail("expected 'stack', or 'registers' and registers");
    convention.variadic_registers = take_registers(cursor);
  });
  single_key("convention", "preserved", [&](Cursor& cursor) {
    convention.preserved_place = cursor.line().where();
    convention.preserved = take_registers(cursor);
  });
  single_key("convention", "byval", [&](Cursor& cursor) {
    bool on_stack = choose_word(cursor, "stack", "pointer");
    convention.by_value = on_stack ? Convention::ByValue::Stack : Convention::ByValue::Pointer;
  });
  each_key("convention", "routine", [&](Cursor& cursor) { read_routine(cursor); });
  each_key("convention", "hook", [&](Cursor& cursor) { read_hook(cursor, "convention"); });
}

// routine $NAME clobbers REGISTERS
void DescriptionReader::read_routine(Cursor& cursor) {
  if (!cursor.accept('$')) return cursor.fail("expected the name of a routine, as in '$__divsi3'");
  Routine made;
  made.name = cursor.take_name("the name of a routine").text;
  if (!cursor.accept_word("clobbers")) return cursor.fail("expected 'clobbers' and registers");
  made.has_clobbers = true;
  made.clobbers = take_registers(cursor);
  description_->convention.routines.push_back(std::move(made));
}

void DescriptionReader::read_frame() {
  constexpr std::array<std::string_view, 7> kKeys = {"stack", "frame",  "link", "enter",
                                                     "leave", "return", "hook"};
  report_unknown_keys("frame", kKeys);
  Frame& frame = description_->frame;
  each_key("frame", "hook", [&](Cursor& cursor) { read_hook(cursor, "frame"); });
  single_key("frame", "stack", [&](Cursor& cursor) {
    frame.stack = take_register(cursor);
    frame.down = choose_word(cursor, "down", "up");
    if (auto align = cursor.take_number(1, 4096, "an alignment")) {
      frame.align = static_cast<uint32_t>(*align);
      if ((*align & (*align - 1)) != 0)
        fail(cursor.line().where(), fmt::format("{} is no power of two", *align));
    }
  });
  single_key("frame", "frame", [&](Cursor& cursor) { frame.frame = take_register(cursor); });
  single_key("frame", "link", [&](Cursor& cursor) { frame.link = take_register(cursor); });
  for (uint32_t i = 0; i < description_->sequences.size(); ++i) {
    Sequence::Kind kind = description_->sequences[i].kind;
    uint32_t* place = kind == Sequence::Kind::Enter    ? &frame.enter
                      : kind == Sequence::Kind::Leave  ? &frame.leave
                      : kind == Sequence::Kind::Return ? &frame.leave_and_return
                                                       : nullptr;
    if (!place) continue;
    if (*place != kNone) {
      fail(description_->sequences[i].where, fmt::format("'{}' is given twice", sequence_name(kind)));
    }
    *place = i;
  }
}

// hardware setup ENTRY... end ENTRY; stages setup ENTRY... end ENTRY predicate REGISTER
void DescriptionReader::read_loops() {
  constexpr std::array<std::string_view, 2> kKeys = {"hardware", "stages"};
  report_unknown_keys("loops", kKeys);
  auto entry_named = [&](const Piece& name) {
    uint32_t index = description_->find_entry(name.text);
    if (index == kNone && !name.text.empty()) {
      std::vector<std::string_view> known;
      for (const InstructionEntry& entry : description_->entries) known.push_back(entry.name);
      fail(name.where,
           fmt::format("there is no instruction '{}'{}", name.text, suggestion(name.text, known)));
    }
    return index;
  };
  auto read = [&](Cursor& cursor, bool stages) {
    HardwareLoop loop;
    loop.stages = stages;
    if (!cursor.accept_word("setup")) return cursor.fail("expected 'setup' and instructions");
    while (!cursor.at_end() && !cursor.starts_with("end "))
      loop.setup.push_back(entry_named(cursor.take_word()));
    if (!cursor.accept_word("end")) return cursor.fail("expected 'end' and an instruction");
    loop.end = entry_named(cursor.take_word());
    if (stages) {
      if (!cursor.accept_word("predicate")) return cursor.fail("expected 'predicate' and a register");
      loop.predicate = take_register(cursor);
    }
    cursor.expect_end();
    description_->loops.push_back(std::move(loop));
  };
  each_key("loops", "hardware", [&](Cursor& cursor) { read(cursor, false); });
  each_key("loops", "stages", [&](Cursor& cursor) { read(cursor, true); });
}

void DescriptionReader::read_assembly() {
  constexpr std::array<std::string_view, 5> kKeys = {"packet", "label", "comment", "start", "assembler"};
  report_unknown_keys("assembly", kKeys);
  AssemblyText& text = description_->assembly;
  single_key("assembly", "packet", [&](Cursor& cursor) {
    for (std::string* part : {&text.before, &text.between, &text.after}) {
      if (auto given = cursor.take_string("the text before, between and after instructions")) *part = *given;
    }
  });
  auto string = [&](std::string_view key, std::string& value) {
    single_key("assembly", key, [&](Cursor& cursor) { value = cursor.take_string("a text").value_or(""); });
  };
  string("label", text.label);
  string("comment", text.comment);
  string("start", text.start);
  single_key("assembly", "assembler", [&](Cursor& cursor) {
    text.assembler = cursor.rest();
    cursor.move_to(cursor.line().text().size());
  });
}

}  // namespace psi::target
