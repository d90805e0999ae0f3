// Memory: objects, bounds, lifetimes, and the bytes that are undefined.
#include <fmt/format.h>

#include "interp_test_util.h"

namespace psi::interp_test {
namespace {

// Runs a body that returns an i32.
Outcome run_body(const std::string& body, const std::vector<Value>& arguments = {},
                 const InterpretOptions& options = {}, const std::string& params = "") {
  return run(fmt::format("global $tab align 8 {{ i32 10, i32 20, i32 30 }}\n"
                         "global $big align 8 {{ zero 64 }}\n"
                         "const $ro align 8 {{ i64 0x1122334455667788 }}\n"
                         "extern func $malloc(i64) -> ptr\n"
                         "extern func $calloc(i64, i64) -> ptr\n"
                         "extern func $realloc(ptr, i64) -> ptr\n"
                         "extern func $free(ptr)\n"
                         "func $f({}) -> i32 {{\n@e:\n  {}\n}}\n",
                         params, body),
             arguments, options);
}

TEST(InterpMemory, EveryTypeIsStoredAndLoaded) {
  struct Case {
    const char* type;
    uint64_t bits;
  };
  for (Case c : {Case{"i1", 1}, Case{"i8", 0x81}, Case{"i16", 0x8123}, Case{"i32", 0x81234567},
                 Case{"i64", 0x8123456789abcdef}, Case{"f32", 0x7fc00001}, Case{"f64", 0x7ff0000000000001},
                 Case{"ptr", 0x500000004}}) {
    std::string text = fmt::format(
        "func $f(%x: {0}) -> {0} {{\n@e:\n  %s = slot 16, align 8\n  %q = ptradd %s, 8\n"
        "  store.{0} %x, %q\n  %y = load.{0} %q\n  ret %y\n}}\n",
        c.type);
    EXPECT_TRUE(returns(run(text, {{c.bits}}), c.bits)) << c.type;
  }
}

TEST(InterpMemory, IsLittleEndian) {
  EXPECT_TRUE(returns(
      run_body("%p = ptradd $ro, 1\n  %x = load.i16 %p, align 1\n  %y = zext.i16.i32 %x\n  ret %y"), 0x6677));
  EXPECT_TRUE(returns(run_body("%p = ptradd $ro, 4\n  %x = load.i32 %p\n  ret %x"), 0x11223344));
}

TEST(InterpMemory, GlobalInitialisers) {
  const char* text =
      "global $g align 8 { i8 1, i16 0x203, zero 5, ptr $g + 8, \"ab\\00\", f32 1.0, ptr $f }\n"
      "func $f(%i: i64) -> i8 {\n@e:\n  %p = ptradd $g, %i\n  %x = load.i8 %p\n  ret %x\n}\n";
  Module module = parse_program(text);
  auto byte = [&](uint64_t i) { return run(module, {{i}}).result.bits; };
  EXPECT_EQ(byte(0), 1u);
  EXPECT_EQ(byte(1), 3u);
  EXPECT_EQ(byte(2), 2u);
  for (uint64_t i = 3; i < 8; ++i) EXPECT_EQ(byte(i), 0u);
  EXPECT_EQ(byte(8), 8u);
  EXPECT_EQ(byte(16), static_cast<uint64_t>('a'));
  EXPECT_EQ(byte(18), 0u);
  EXPECT_EQ(byte(22), 0x3fu);
  EXPECT_TRUE(is_undefined(run(module, {{31}}), "load of 1 byte at offset 31 of $g, which has 31 bytes"));
}

TEST(InterpMemory, AccessesAreChecked) {
  auto load_at = [](const char* pointer) {
    return run_body(fmt::format("{}\n  %x = load.i32 %p\n  ret %x", pointer));
  };
  EXPECT_TRUE(returns(load_at("%p = ptradd $tab, 8"), 30));
  EXPECT_TRUE(is_undefined(load_at("%p = ptradd $tab, 12"),
                           "undefined behaviour: load of 4 bytes at offset 12 of $tab, which has 12 bytes"));
  EXPECT_TRUE(is_undefined(load_at("%p = ptradd $tab, -4"),
                           "load of 4 bytes at offset -4 of $tab, which has 12 bytes"));
  EXPECT_TRUE(is_undefined(load_at("%p = ptradd $tab, 2"), "not aligned to 4"));
  EXPECT_TRUE(is_undefined(load_at("%p = mov.ptr null"), "null pointer"));
  EXPECT_TRUE(is_undefined(load_at("%p = ptradd null, 64"), "null pointer"));
  EXPECT_TRUE(is_undefined(load_at("%p = ptradd null, -64"), "null pointer"));
  EXPECT_TRUE(is_undefined(load_at("%p = mov.ptr $f"), "at $f, a function"));
  EXPECT_TRUE(is_undefined(load_at("%p = inttoptr.i64.ptr 0x7654321000000000"), "in no object"));
  EXPECT_TRUE(is_undefined(load_at("%p = inttoptr.i64.ptr -4294967296"), "in no object"));
  EXPECT_TRUE(is_undefined(run_body("store.i64 1, $ro\n  ret 0"),
                           "store of 8 bytes at offset 0 of $ro, which is constant"));
  EXPECT_TRUE(is_undefined(run_body("%p = ptradd $tab, 12\n  store.i8 1, %p\n  ret 0"),
                           "store of 1 byte at offset 12 of $tab"));
  // An address may leave its object and return.
  EXPECT_TRUE(returns(load_at("%o = ptradd $tab, -100\n  %p = ptradd %o, 104"), 20));
  EXPECT_TRUE(returns(load_at("%o = ptradd $tab, 1000000\n  %p = ptradd %o, -1000000"), 10));
}

TEST(InterpMemory, FreshSlotsAreUndefined) {
  EXPECT_TRUE(gives_undef(run_body("%s = slot 4, align 4\n  %x = load.i32 %s\n  ret %x")));
  // One undefined byte is enough.
  EXPECT_TRUE(
      gives_undef(run_body("%s = slot 4, align 4\n  store.i16 1, %s\n  %q = ptradd %s, 2\n  store.i8 1, %q\n"
                           "  %x = load.i32 %s\n  ret %x")));
  EXPECT_TRUE(
      returns(run_body("%s = slot 4, align 4\n  store.i16 1, %s\n  %q = ptradd %s, 2\n  store.i16 1, %q\n"
                       "  %x = load.i32 %s\n  ret %x"),
              0x10001));
}

TEST(InterpMemory, EachExecutionOfASlotMakesANewOne) {
  EXPECT_TRUE(
      returns(run("func $f() -> i32 {\n@e:\n  %i = mov.i32 0\n  %first = mov.ptr null\n  br @loop\n"
                  "@loop:\n  %s = slot 4, align 4\n  store.i32 %i, %s\n  %z = cmp.eq.i32 %i, 0\n"
                  "  %z ? %first = mov %s\n  %i = add.i32 %i, 1\n  %c = cmp.lt.i32 %i, 100\n"
                  "  br %c, @loop, @done\n"
                  "@done:\n  %a = load.i32 %first\n  %b = load.i32 %s\n  %r = add.i32 %a, %b\n  ret %r\n}\n"),
              99));
}

TEST(InterpMemory, ASlotDiesWithItsFunction) {
  const char* text =
      "func $g() -> ptr {\n@e:\n  %s = slot 8, align 8\n  store.i32 1, %s\n  ret %s\n}\n"
      "func $f() -> i32 {\n@e:\n  %p = call.ptr $g()\n  %q = call.ptr $g()\n  %x = load.i32 %p\n  ret "
      "%x\n}\n";
  EXPECT_TRUE(is_undefined(run(text), "a slot that has ended"));
}

TEST(InterpMemory, RecursionWithSlots) {
  // Each level writes its slot, calls, and finds it unharmed; storage is used again after returns.
  const char* text =
      "func $g(%n: i32) -> i32 {\n@e:\n  %s = slot 24, align 8\n  store.i32 %n, %s\n"
      "  %z = cmp.eq.i32 %n, 0\n  br %z, @base, @more\n@base:\n  ret 0\n"
      "@more:\n  %m = sub.i32 %n, 1\n  %a = call.i32 $g(%m)\n  %t = slot 400, align 8\n  store.i32 %a, %t\n"
      "  %x = load.i32 %s\n  %y = load.i32 %t\n  %r = add.i32 %x, %y\n  ret %r\n}\n"
      "func $f() -> i32 {\n@e:\n  %a = call.i32 $g(3000)\n  %b = call.i32 $g(3000)\n  %r = sub.i32 %a, %b\n"
      "  %z = add.i32 %r, %a\n  ret %z\n}\n";
  EXPECT_TRUE(returns(run(text), 3000 * 3001 / 2));
}

TEST(InterpMemory, ManySlotsDoNotUseUpMemory) {
  InterpretOptions options;
  options.max_memory = 4096;
  const char* text =
      "func $g() -> i32 {\n@e:\n  %s = slot 512, align 8\n  store.i32 7, %s\n  %x = load.i32 %s\n  ret "
      "%x\n}\n"
      "func $f() -> i32 {\n@e:\n  %i = mov.i32 0\n  br @loop\n"
      "@loop:\n  %x = call.i32 $g()\n  %i = add.i32 %i, 1\n  %c = cmp.lt.i32 %i, 100000\n  br %c, @loop, "
      "@done\n"
      "@done:\n  ret %x\n}\n";
  EXPECT_TRUE(returns(run(text, {}, options), 7));
}

TEST(InterpMemory, SlotsThatDoNotFitEndTheRun) {
  for (int64_t size : {int64_t{-1}, int64_t{1} << 40, INT64_MIN, int64_t{1} << 31, int64_t{1} << 30}) {
    EXPECT_TRUE(
        stops(run_body("%s = slot %n, align 8\n  ret 0", {{static_cast<uint64_t>(size)}}, {}, "%n: i64"),
              Outcome::Status::Exhausted, "slot"))
        << size;
  }
  InterpretOptions options;
  options.max_memory = 10'000;
  EXPECT_TRUE(
      stops(run("func $f() {\n@e:\n  br @loop\n@loop:\n  %s = slot 0, align 1\n  br @loop\n}\n", {}, options),
            Outcome::Status::Exhausted, "slot"));
}

TEST(InterpMemory, UndefStores) {
  std::string body =
      "%s = slot 8, align 4\n  store.i32 5, %s\n  store.i32 %u, %s\n  %x = load.i32 %s\n  ret %x";
  EXPECT_TRUE(is_undefined(run_body(body, {kUndef}, {}, "%u: i32"), "the stored value %u is undef"));
  InterpretOptions options;
  options.undef_stores = true;
  EXPECT_TRUE(gives_undef(run_body(body, {kUndef}, options, "%u: i32")));
  EXPECT_TRUE(returns(run_body(body, {{9}}, options, "%u: i32"), 9));
  // Globals can hold it, too, and a part stays defined.
  EXPECT_TRUE(gives_undef(
      run_body("store.i32 %u, $tab\n  %x = load.i32 $tab\n  ret %x", {kUndef}, options, "%u: i32")));
  EXPECT_TRUE(returns(run_body("store.i32 %u, $tab\n  %p = ptradd $tab, 4\n  %x = load.i32 %p\n  ret %x",
                               {kUndef}, options, "%u: i32"),
                      20));
}

TEST(InterpMemory, ZeroMemory) {
  InterpretOptions options;
  options.zero_memory = true;
  // Half of it was never written, and half of it goes through a register that is undef as a whole.
  std::string copied =
      "%s = slot 8, align 8\n  store.i32 5, %s\n  %w = load.i64 %s\n  %t = slot 8, align 8\n"
      "  store.i64 %w, %t\n  %x = load.i32 %t\n  ret %x";
  EXPECT_TRUE(is_undefined(run_body(copied), "the stored value %w is undef"));
  EXPECT_TRUE(returns(run_body(copied, {}, options), 5));
  std::string merged =
      "%h = shl.i64 %u, 32\n  %w = or.i64 %h, 7\n  store.i64 %w, $big\n  %x = load.i32 $big\n  ret %x";
  EXPECT_TRUE(returns(run_body(merged, {kUndef}, options, "%u: i64"), 7));
  for (const char* fresh : {"slot 4, align 4", "call.ptr $malloc(4)", "call.ptr $realloc(null, 4)"}) {
    std::string body = fmt::format("%s = {}\n  %x = load.i32 %s\n  ret %x", fresh);
    EXPECT_TRUE(gives_undef(run_body(body))) << fresh;
    EXPECT_TRUE(returns(run_body(body, {}, options), 0)) << fresh;
  }
  EXPECT_TRUE(returns(run_body("memset $tab, %u, 4\n  %x = load.i32 $tab\n  %y = freeze.i32 %x\n  ret 3",
                               {kUndef}, options, "%u: i8"),
                      3));
  // A slot that takes the place of another starts anew.
  EXPECT_TRUE(
      returns(run("func $f() -> i32 {\n@e:\n  %a = call.i32 $g(9)\n  %b = call.i32 $g(0)\n  ret %b\n}\n"
                  "func $g(%x: i32) -> i32 {\n@e:\n  %s = slot 4, align 4\n  %old = load.i32 %s\n"
                  "  store.i32 %x, %s\n  ret %old\n}\n",
                  {}, options),
              0));
  // What is not in memory stays undef.
  EXPECT_TRUE(gives_undef(run_body("ret %u", {kUndef}, options, "%u: i32")));
}

// --- memcpy, memmove, memset ------------------------------------------------------------------------

TEST(InterpMemory, CopiesAndFills) {
  EXPECT_TRUE(
      returns(run_body("memcpy $big, $tab, 12\n  %p = ptradd $big, 8\n  %x = load.i32 %p\n  ret %x"), 30));
  EXPECT_TRUE(returns(run_body("memset $big, 0xab, 3\n  %x = load.i32 $big\n  ret %x"), 0xababab));
  EXPECT_TRUE(returns(run_body("%q = ptradd $tab, 4\n  memmove %q, $tab, 8\n  %p = ptradd $tab, 8\n"
                               "  %x = load.i32 %p\n  ret %x"),
                      20));
  EXPECT_TRUE(is_undefined(run_body("%q = ptradd $tab, 4\n  memcpy %q, $tab, 8\n  ret 0"), "overlap"));
  EXPECT_EQ(run_body("memcpy $tab, $tab, 12\n  ret 0").status, Outcome::Status::Returned);
  EXPECT_EQ(run_body("%q = ptradd $tab, 4\n  memcpy %q, $tab, 4\n  ret 0").status, Outcome::Status::Returned);
}

TEST(InterpMemory, CopiesAreChecked) {
  EXPECT_TRUE(is_undefined(run_body("memcpy $big, $tab, 13\n  ret 0"), "13 bytes at offset 0 of $tab"));
  EXPECT_TRUE(is_undefined(run_body("memcpy $tab, $big, 13\n  ret 0"), "13 bytes at offset 0 of $tab"));
  EXPECT_TRUE(is_undefined(run_body("memcpy $big, $tab, -1\n  ret 0"), "of $tab"));
  EXPECT_TRUE(is_undefined(run_body("memcpy $ro, $tab, 8\n  ret 0"), "$ro, which is constant"));
  EXPECT_TRUE(is_undefined(run_body("memset $ro, 0, 1\n  ret 0"), "$ro, which is constant"));
  EXPECT_TRUE(is_undefined(run_body("memset null, 0, 1\n  ret 0"), "null"));
  EXPECT_TRUE(is_undefined(run_body("memset $tab, 0, %n\n  ret 0", {kUndef}, {}, "%n: i64"),
                           "the length %n is undef"));
  EXPECT_TRUE(is_undefined(run_body("memset $tab, %b, 1\n  ret 0", {kUndef}, {}, "%b: i8"), "is undef"));
  // Nothing is touched where nothing is copied.
  EXPECT_EQ(run_body("memcpy null, $tab, 0\n  memset null, undef, 0\n  ret 0").status,
            Outcome::Status::Returned);
}

TEST(InterpMemory, CopiesTakeUndefinedBytesAlong) {
  std::string body =
      "%s = slot 8, align 8\n  store.i32 5, %s\n  memcpy $big, %s, 8\n  %p = ptradd $big, {}\n"
      "  %x = load.i32 %p\n  ret %x";
  EXPECT_TRUE(returns(run_body(fmt::format(fmt::runtime(body), 0)), 5));
  EXPECT_TRUE(gives_undef(run_body(fmt::format(fmt::runtime(body), 4))));
  EXPECT_TRUE(returns(run_body(fmt::format(fmt::runtime(body), 8)), 0));
  // And defined ones make defined again.
  EXPECT_TRUE(
      returns(run_body("%s = slot 8, align 8\n  memcpy %s, $tab, 8\n  %x = load.i32 %s\n  ret %x"), 10));
}

// --- Heap -------------------------------------------------------------------------------------------

TEST(InterpHeap, Allocation) {
  EXPECT_TRUE(gives_undef(run_body("%p = call.ptr $malloc(8)\n  %x = load.i32 %p\n  ret %x")));
  EXPECT_TRUE(
      returns(run_body("%p = call.ptr $calloc(2, 4)\n  %q = ptradd %p, 4\n  %x = load.i32 %q\n  ret %x"), 0));
  EXPECT_TRUE(
      is_undefined(run_body("%p = call.ptr $calloc(2, 4)\n  %q = ptradd %p, 8\n  %x = load.i32 %q\n  ret %x"),
                   "offset 8 of a heap block, which has 8 bytes"));
  EXPECT_TRUE(
      returns(run_body("%p = call.ptr $malloc(4)\n  store.i32 6, %p\n  %q = call.ptr $realloc(%p, 100)\n"
                       "  %x = load.i32 %q\n  call $free(%q)\n  ret %x"),
              6));
  EXPECT_TRUE(
      gives_undef(run_body("%p = call.ptr $calloc(1, 4)\n  %q = call.ptr $realloc(%p, 8)\n"
                           "  %r = ptradd %q, 4\n  %x = load.i32 %r\n  ret %x")));
  EXPECT_TRUE(returns(
      run_body("%p = call.ptr $realloc(null, 4)\n  store.i32 3, %p\n  %x = load.i32 %p\n  ret %x"), 3));
  EXPECT_EQ(run_body("call $free(null)\n  ret 0").status, Outcome::Status::Returned);
}

TEST(InterpHeap, Misuse) {
  EXPECT_TRUE(is_undefined(run_body("%p = call.ptr $malloc(8)\n  call $free(%p)\n  store.i32 1, %p\n  ret 0"),
                           "a heap block that was freed"));
  EXPECT_TRUE(is_undefined(run_body("%p = call.ptr $malloc(8)\n  call $free(%p)\n  call $free(%p)\n  ret 0"),
                           "free of a heap block that was freed"));
  EXPECT_TRUE(
      is_undefined(run_body("%p = call.ptr $malloc(8)\n  %q = ptradd %p, 4\n  call $free(%q)\n  ret 0"),
                   "not a heap block's start"));
  EXPECT_TRUE(is_undefined(run_body("call $free($tab)\n  ret 0"), "free of $tab"));
  EXPECT_TRUE(is_undefined(run_body("%p = call.ptr $malloc(8)\n  %q = call.ptr $realloc(%p, 9)\n"
                                    "  %x = load.i32 %p\n  ret %x"),
                           "freed"));
}

TEST(InterpHeap, NoRoomGivesNull) {
  std::string body = "%p = call.ptr $malloc(%n)\n  %z = cmp.eq.ptr %p, null\n  %r = zext.i1.i32 %z\n  ret %r";
  InterpretOptions options;
  options.max_memory = 1000;
  EXPECT_TRUE(returns(run_body(body, {{500}}, options, "%n: i64"), 0));
  EXPECT_TRUE(returns(run_body(body, {{5000}}, options, "%n: i64"), 1));
  EXPECT_TRUE(returns(run_body(body, {{UINT64_MAX}}, options, "%n: i64"), 1));
  EXPECT_TRUE(returns(run_body("%p = call.ptr $calloc(-1, -1)\n  %z = cmp.eq.ptr %p, null\n"
                               "  %r = zext.i1.i32 %z\n  ret %r"),
                      1));
  // What was freed can be had again.
  EXPECT_TRUE(returns(run("extern func $malloc(i64) -> ptr\nextern func $free(ptr)\n"
                          "func $f() -> i32 {\n@e:\n  %i = mov.i32 0\n  br @loop\n"
                          "@loop:\n  %p = call.ptr $malloc(600)\n  store.i32 %i, %p\n  call $free(%p)\n"
                          "  %i = add.i32 %i, 1\n  %c = cmp.lt.i32 %i, 10000\n  br %c, @loop, @done\n"
                          "@done:\n  ret %i\n}\n",
                          {}, options),
                      10000));
}

TEST(InterpHeap, AddressesDoNotDependOnSlots) {
  auto address = [](const char* slots) {
    return run(fmt::format(
                   "extern func $malloc(i64) -> ptr\n"
                   "func $f() -> i64 {{\n@e:\n  {}%p = call.ptr $malloc(8)\n  %r = ptrtoint.ptr.i64 %p\n"
                   "  ret %r\n}}\n",
                   slots))
        .result.bits;
  };
  EXPECT_EQ(address(""), address("%s = slot 8, align 8\n  %t = slot 80, align 8\n  "));
}

TEST(InterpMemory, GlobalsTooLargeEndTheRun) {
  EXPECT_EQ(run("global $g align 1 { zero 1000000000000 }\nfunc $f() {\n@e:\n  ret\n}\n").status,
            Outcome::Status::Exhausted);
}

TEST(InterpMemory, ExternalGlobalsHaveTheirSize) {
  const char* text =
      "extern global $environ size 8 align 8\n"
      "func $f(%i: i64) -> i8 {\n@e:\n  %p = ptradd $environ, %i\n  store.i8 3, %p\n  %x = load.i8 %p\n  ret "
      "%x\n}\n";
  EXPECT_TRUE(returns(run(text, {{7}}), 3));
  EXPECT_TRUE(is_undefined(run(text, {{8}}), "$environ, which has 8 bytes"));
}

}  // namespace
}  // namespace psi::interp_test
