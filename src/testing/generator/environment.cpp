#include "testing/generator/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace psi::testing {
namespace {

struct ExternalInfo {
  std::string_view name;
  Type result;
  std::array<Type, 2> params;
  uint32_t num_params;
  bool variadic = false;
  FunctionAttributes attributes = {};
};

constexpr FunctionAttributes kReadnone = {.readnone = true, .nounwind = true};
constexpr FunctionAttributes kReadonly = {.readonly = true};
constexpr FunctionAttributes kNoreturn = {.noreturn = true};

// In the order of External.
constexpr std::array<ExternalInfo, kNumExternals> kExternals = {{
    {"observe", Type::none, {Type::i32}, 1},
    {"observe64", Type::none, {Type::i64}, 1},
    {"observe_f64", Type::none, {Type::f64}, 1},
    {"observe_ptr", Type::none, {Type::ptr}, 1},
    {"opaque", Type::i32, {Type::i32}, 1, false, kReadnone},
    {"peek", Type::i32, {Type::ptr}, 1, false, kReadonly},
    {"source", Type::i64, {Type::i32}, 1},
    {"putchar", Type::i32, {Type::i32}, 1},
    {"puts", Type::i32, {Type::ptr}, 1},
    {"printf", Type::i32, {Type::ptr}, 1, true},
    {"malloc", Type::ptr, {Type::i64}, 1},
    {"calloc", Type::ptr, {Type::i64, Type::i64}, 2},
    {"realloc", Type::ptr, {Type::ptr, Type::i64}, 2},
    {"free", Type::none, {Type::ptr}, 1},
    {"abort", Type::none, {}, 0, false, kNoreturn},
}};

struct FormatInfo {
  std::string_view text;
  std::initializer_list<Type> arguments;
};

uint64_t bits_of(Type type, double value) {
  return type == Type::f64 ? std::bit_cast<uint64_t>(value)
                           : std::bit_cast<uint32_t>(static_cast<float>(value));
}

}  // namespace

uint64_t interesting_bits(Random& random, Type type) {
  if (type == Type::ptr) return 0;
  uint64_t mask = value_mask(type);
  if (is_float(type)) {
    switch (random.below(10)) {
      case 0:
        return bits_of(type, random.one_of({0.0, -0.0, 1.0, -1.0}));
      case 1:
        return bits_of(type, random.one_of({0.5, -1.5, 2.5, 1e10, -1e-10, 3.25}));
      case 2:
        return random.next() & mask;  // anything, not-a-numbers too
      case 3:
        return type == Type::f64 ? random.one_of<uint64_t>({0x7ff0'0000'0000'0000, 0x7ff8'0000'0000'0000, 1})
                                 : random.one_of<uint64_t>({0x7f80'0000, 0x7fc0'0000, 1});
      default:
        return bits_of(type, static_cast<double>(random.range(-1000, 1000)) / 8);
    }
  }
  unsigned width = bit_width(type);
  switch (random.below(8)) {
    case 0:
      return random.next() & mask;
    case 1: {  // around a power of two
      uint64_t power = uint64_t{1} << random.below(width);
      return (power + static_cast<uint64_t>(random.range(-1, 1))) & mask;
    }
    case 2:
      return mask >> random.below(2);  // -1 and the largest
    case 3:
      return (random.next() & 0xffff) & mask;
    default:
      return static_cast<uint64_t>(random.range(-8, 16)) & mask;
  }
}

Initialiser Environment::random_piece(uint32_t room) {
  Initialiser piece;
  Type type = static_cast<Type>(random.below(static_cast<uint32_t>(Type::ptr)));
  switch (random.below(6)) {
    case 0:
      piece.kind = Initialiser::Kind::Zero;
      piece.bits = 1 + random.below(room);
      return piece;
    case 1:
      piece.kind = Initialiser::Kind::Bytes;
      for (uint32_t i = 1 + random.below(std::min(room, 12u)); i > 0; --i) {
        piece.bytes += static_cast<char>(random.coin() ? random.below(256) : 32 + random.below(95));
      }
      return piece;
    default:
      if (byte_size(type) > room || (is_float(type) && !options.floats)) type = Type::i8;
      piece.kind = Initialiser::Kind::Value;
      piece.type = type;
      piece.bits = interesting_bits(random, type);
      return piece;
  }
}

void Environment::add_data(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    bool constant = i >= 2 && random.percent(30);
    uint32_t size = kParamBytes << random.below(3);
    SymbolId symbol = module.intern_symbol(fmt::format("{}{}", constant ? "table" : "data", i));
    Global& global = module.add_global(symbol);
    global.constant = constant;
    global.align = random.coin() ? 8 : 16;
    global.size = size;
    for (uint32_t used = 0; used < size;) {
      global.contents.push_back(random_piece(size - used));
      used += static_cast<uint32_t>(global.contents.back().size(options.pointer_bits));
    }
    data.push_back({symbol, size, !constant});
  }
  if (count < 2) return;
  if (random.percent(70)) add_pointer_table(true);
  if (random.percent(40)) add_pointer_table(false);
}

void Environment::add_pointer_table(bool writable) {
  SymbolId symbol = module.intern_symbol(writable ? "pointers" : "const_pointers");
  Global& global = module.add_global(symbol);
  global.constant = !writable;
  global.align = 8;
  uint32_t entries = random.coin() ? 4 : 2;
  global.size = options.pointer_bits / 8 * entries;
  while (global.contents.size() < entries) {
    const DataGlobal& target = random.element(data);
    if (!target.writable) continue;  // the first one is writable
    Initialiser piece;
    piece.kind = Initialiser::Kind::Address;
    piece.symbol = target.symbol;
    piece.addend = 8 * static_cast<int64_t>(random.below((target.size - kParamBytes) / 8 + 1));
    global.contents.push_back(piece);
  }
  pointer_tables.push_back({symbol, entries, writable});
}

void Environment::add_function_table(const Signature& signature) {
  std::vector<const Callee*> fitting;
  for (const Callee& callee : callees) {
    if (callee.signature == signature) fitting.push_back(&callee);
  }
  if (fitting.empty()) return;
  FunctionTable table;
  table.symbol = module.intern_symbol(fmt::format("functions{}", function_tables.size()));
  table.entries = 1u << random.below(3);
  table.signature = signature;
  Global& global = module.add_global(table.symbol);
  global.constant = random.coin();
  global.align = 8;
  global.size = options.pointer_bits / 8 * table.entries;
  for (uint32_t i = 0; i < table.entries; ++i) {
    const Callee* callee = random.element(fitting);
    Initialiser piece;
    piece.kind = Initialiser::Kind::Address;
    piece.symbol = callee->symbol;
    global.contents.push_back(piece);
    table.cost = std::max(table.cost, callee->cost);
  }
  function_tables.push_back(table);
}

SymbolId Environment::external(External which) {
  SymbolId& symbol = externals_[static_cast<size_t>(which)];
  if (symbol) return symbol;
  const ExternalInfo& info = kExternals[static_cast<size_t>(which)];
  symbol = module.intern_symbol(info.name);
  Function& function = module.add_function(symbol);
  function.signature.result = info.result;
  function.signature.params.assign(info.params.begin(), info.params.begin() + info.num_params);
  // Sizes.
  if (which >= External::Malloc)
    std::ranges::replace(function.signature.params, Type::i64, module.address_type());
  function.signature.variadic = info.variadic;
  function.attributes = info.attributes;
  return symbol;
}

SymbolId Environment::add_string(std::string_view prefix, std::string_view bytes) {
  SymbolId symbol = module.intern_symbol(fmt::format("{}{}", prefix, module.num_symbols()));
  Global& global = module.add_global(symbol);
  global.constant = true;
  Initialiser piece;
  piece.kind = Initialiser::Kind::Bytes;
  piece.bytes = bytes;
  piece.bytes += '\0';
  global.size = piece.bytes.size();
  global.contents.push_back(std::move(piece));
  return symbol;
}

const FormatString& Environment::format_string() {
  static const std::array<FormatInfo, 6> kFormats = {{
      {"%d\n", {Type::i32}},
      {"x=%08x %u\n", {Type::i32, Type::i32}},
      {"%lld|%-5d|\n", {Type::i64, Type::i32}},
      {"%s: %lx\n", {Type::ptr, Type::i64}},
      {"done 100%%\n", {}},
      {"%.3e %c\n", {Type::f64, Type::i32}},
  }};
  if (formats_.size() < 2 && (formats_.empty() || random.coin())) {
    const FormatInfo& chosen = kFormats[random.below(options.floats ? 6 : 5)];
    FormatString format = {add_string("format", chosen.text), chosen.arguments};
    // %lx is for a number of the width of pointers, as in C on most targets.
    bool is_long = chosen.text.find("%lx") != std::string_view::npos;
    if (is_long) std::ranges::replace(format.arguments, Type::i64, module.address_type());
    formats_.push_back(std::move(format));
    return formats_.back();
  }
  return random.element(formats_);
}

SymbolId Environment::text() {
  if (texts_.empty() || (texts_.size() < 3 && random.percent(30))) {
    texts_.push_back(
        add_string("text", random.one_of<std::string_view>({"", "hello", "a\tb\\\"", "\x01\xff"})));
  }
  return random.element(texts_);
}

}  // namespace psi::testing
