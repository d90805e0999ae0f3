// Every predicate engine, and predicate expressions, on random programs, all of whose worlds are looked at.
//
//     predicate_soak [--count=N] [--seed=N] [--sort=NAME] [--engine=NAME] [--missed]
//
// N programs (1000) of each sort. An answer that is wrong is shown with its program, and the run fails. The
// tables tell how much of what is true each engine knows, and how long a question takes, the making of the
// engine for each program included. --missed shows the smallest program in which something true is not known.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "algebra_check.h"
#include "psi/exact/predicates.h"
#include "psi/text/text.h"
#include "psi/verify/verify.h"
#include "questions.h"

namespace psi::soak {
namespace {

struct Engine {
  std::string_view name;
  std::unique_ptr<PredicateEngine> (*make)(PredicateTerms&);
  uint32_t every;  // of so many questions, one is asked
};
template <PredicateEngineKind kind>
std::unique_ptr<PredicateEngine> make(PredicateTerms& terms) {
  return make_predicate_engine(kind, terms, [](PredicateTerms& all) { return make_exact_engine(all); });
}
constexpr Engine kEngines[] = {
    {"partition", make<PredicateEngineKind::Partition>, 1},
    {"hierarchy", make<PredicateEngineKind::Hierarchy>, 1},
    {"auto", make<PredicateEngineKind::Auto>, 50},
    {"exact", make<PredicateEngineKind::Exact>, 50},
};

struct Options {
  uint64_t count = 1000;
  uint64_t seed = 1;
  std::string_view sort;    // empty: all
  std::string_view engine;  // likewise
  bool missed = false;
};

struct Score {
  uint64_t questions = 0;
  uint64_t answers[3] = {};  // by Answer
  uint64_t true_statements = 0;
  double seconds = 0;
  std::string missed;
  uint32_t missed_size = UINT32_MAX;
};

class Soak {
 public:
  Soak(Sort sort, const Options& options) : sort_(sort), options_(options) {}

  bool run() {
    for (uint64_t i = 0; i < options_.count; ++i) {
      Program program = random_program(sort_, derive_seed(options_.seed, i));
      std::string wrong = check(program, i);
      if (wrong.empty()) continue;
      fmt::print("{} program {} of seed {}: {}\n{}", sort_name(sort_), i, options_.seed, wrong,
                 print(program.module));
      return false;
    }
    report();
    return true;
  }

 private:
  // What is wrong; nothing if all is right.
  std::string check(const Program& program, uint64_t index) {
    const Function& function = program.function();
    Result<void> verified = verifies(program.module);
    if (!verified) return render(verified, "program", print(program.module));
    Analyses analyses(function);
    Predicates predicates =
        is_ssa(function.form) ? Predicates(function, analyses) : Predicates(function, function.entry());
    std::vector<KnownPredicate> known = known_predicates(program, analyses, predicates);
    TermTruth truth(predicates, program.worlds);
    for (const KnownPredicate& k : known) {
      if (truth.of(k.term) != k.truth) return fmt::format("the term of {} is wrong", k.name);
    }
    std::ranges::sort(known, {}, &KnownPredicate::term);
    auto [first, last] = std::ranges::unique(known, {}, &KnownPredicate::term);
    known.erase(first, last);
    if (known.empty()) return {};

    Random random(derive_seed(options_.seed, index));
    std::vector<Question> pairs = make_questions(known, false, predicates.terms(), random);
    std::vector<Question> compound = make_questions(known, true, predicates.terms(), random);
    for (size_t i = 0; i < std::size(kEngines); ++i) {
      if (!options_.engine.empty() && options_.engine != kEngines[i].name) continue;
      std::unique_ptr<PredicateEngine> engine;  // made when it is first asked
      for (auto [questions, score] :
           {std::pair(&pairs, &pair_scores_[i]), {&compound, &compound_scores_[i]}}) {
        std::string wrong = ask(kEngines[i], engine, some(*questions, kEngines[i].every, index), program,
                                predicates.terms(), *score);
        if (!wrong.empty()) return wrong;
      }
    }
    return check_algebra(known, predicates, truth, random, algebra_);
  }

  static std::vector<Question> some(const std::vector<Question>& all, uint32_t every, uint64_t index) {
    std::vector<Question> result;
    for (size_t i = index % every; i < all.size(); i += every) result.push_back(all[i]);
    return result;
  }

  std::string ask(const Engine& engine, std::unique_ptr<PredicateEngine>& made,
                  const std::vector<Question>& questions, const Program& program, PredicateTerms& terms,
                  Score& score) {
    if (questions.empty()) return {};
    std::vector<Answer> answers(questions.size());
    auto start = std::chrono::steady_clock::now();
    if (!made) made = engine.make(terms);
    for (size_t i = 0; i < questions.size(); ++i) answers[i] = questions[i].ask(*made);
    score.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    score.questions += questions.size();
    for (size_t i = 0; i < questions.size(); ++i) {
      const Question& question = questions[i];
      ++score.answers[static_cast<size_t>(answers[i])];
      score.true_statements += question.is_true;
      if (answers[i] != Answer::Unknown && (answers[i] == Answer::Yes) != question.is_true) {
        return fmt::format("{} is wrong about: {}", engine.name, question.text);
      }
      if (options_.missed && question.is_true && answers[i] == Answer::Unknown) {
        note_missed(question, program, score);
      }
    }
    return {};
  }

  void note_missed(const Question& question, const Program& program, Score& score) const {
    if (program.function().num_insts() >= score.missed_size) return;
    score.missed_size = program.function().num_insts();
    score.missed = fmt::format("{}\n{}", question.text, print(program.module));
  }

  void report() const {
    fmt::print("=== {}: {} programs\n", sort_name(sort_), options_.count);
    fmt::print("{:<10} {:<9} {:>12} {:>12} {:>12} {:>12} {:>12} {:>8} {:>8} {:>9}\n", "engine", "about",
               "questions", "yes", "no", "unknown", "true", "known", "false", "ns each");
    for (size_t i = 0; i < std::size(kEngines); ++i) {
      report_engine(kEngines[i].name, "pairs", pair_scores_[i]);
      report_engine(kEngines[i].name, "compound", compound_scores_[i]);
    }
    fmt::print("{:<12} {:>12} {:>12} {:>8}\n", "expressions", "results", "exact", "share");
    for (size_t i = 0; i < algebra_.rows.size(); ++i) {
      const AlgebraScore::Row& row = algebra_.rows[i];
      fmt::print("{:<12} {:>12} {:>12} {:>8}\n", AlgebraScore::kNames[i], row.results, row.exact,
                 percentage(row.exact, row.results));
    }
  }

  // The part of true, and of false, statements that is proved.
  static void report_engine(std::string_view name, std::string_view about, const Score& score) {
    if (score.questions == 0) return;
    uint64_t no = score.answers[0], unknown = score.answers[1], yes = score.answers[2];
    fmt::print("{:<10} {:<9} {:>12} {:>12} {:>12} {:>12} {:>12} {:>8} {:>8} {:>9.0f}\n", name, about,
               score.questions, yes, no, unknown, score.true_statements,
               percentage(yes, score.true_statements),
               percentage(no, score.questions - score.true_statements),
               score.seconds * 1e9 / static_cast<double>(score.questions));
    if (!score.missed.empty()) fmt::print("not known: {}", score.missed);
  }
  static std::string percentage(uint64_t part, uint64_t whole) {
    if (whole == 0) return "-";
    return fmt::format("{:.3f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
  }

  Sort sort_;
  const Options& options_;
  Score pair_scores_[std::size(kEngines)], compound_scores_[std::size(kEngines)];
  AlgebraScore algebra_;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    auto value = [&](std::string_view name) -> const char* {
      return argument.starts_with(name) ? argv[i] + name.size() : nullptr;
    };
    if (const char* text = value("--count=")) {
      options.count = std::strtoull(text, nullptr, 10);
    } else if (const char* text = value("--seed=")) {
      options.seed = std::strtoull(text, nullptr, 10);
    } else if (const char* text = value("--sort=")) {
      options.sort = text;
    } else if (const char* text = value("--engine=")) {
      options.engine = text;
    } else if (argument == "--missed") {
      options.missed = true;
    } else {
      return std::nullopt;
    }
  }
  bool knows_sort = options.sort.empty(), knows_engine = options.engine.empty();
  for (Sort sort : kSorts) knows_sort = knows_sort || options.sort == sort_name(sort);
  for (const Engine& engine : kEngines) knows_engine = knows_engine || options.engine == engine.name;
  return knows_sort && knows_engine ? std::optional(options) : std::nullopt;
}

}  // namespace
}  // namespace psi::soak

int main(int argc, char** argv) {
  using namespace psi::soak;
  std::optional<Options> options = parse(argc, argv);
  if (!options) {
    fmt::print(stderr,
               "usage: predicate_soak [--count=N] [--seed=N] [--sort=NAME] [--engine=NAME] [--missed]\n");
    return 2;
  }
  for (Sort sort : kSorts) {
    if (!options->sort.empty() && options->sort != sort_name(sort)) continue;
    if (!Soak(sort, *options).run()) return 1;
  }
  return 0;
}
