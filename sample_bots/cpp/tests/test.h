// The little that these tests need of a framework.
#pragma once

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tichu_bot::test {

/// Something that is not as it should be; ends the test.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Test {
  std::string name;  // the rule as a sentence
  std::function<void()> body;
};

/// Adds a test to the list that runs.
struct Add {
  Add(std::string name, std::function<void()> body);
};

inline void check(bool is, const std::string& what) {
  if (!is) throw Failure(what);
}

/// What failed is written as JSON.
template <class Left, class Right>
void check_equal(const Left& is, const Right& should, const std::string& what) {
  if (is == should) return;
  std::ostringstream text;
  text << what << ": is " << nlohmann::json(is) << ", should be " << nlohmann::json(should);
  throw Failure(text.str());
}

/// All lines of a file of vectors, as many as that or more.
std::vector<nlohmann::json> vectors(const std::string& file, std::size_t at_least);

}  // namespace tichu_bot::test
