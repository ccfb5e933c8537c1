// Runs all tests, or those whose name holds the first argument.
#include <csignal>
#include <cstdio>
#include <fstream>

#include "test.h"

namespace tichu_bot::test {
namespace {

std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

bool passes(const Test& test) {
  try {
    test.body();
    return true;
  } catch (const std::exception& error) {
    std::printf("FAILED %s\n  %s\n", test.name.c_str(), error.what());
    std::fflush(stdout);
    return false;
  }
}

int run(const std::string& wanted) {
  int passed = 0, failed = 0;
  for (const Test& test : tests())
    if (test.name.find(wanted) != std::string::npos) ++(passes(test) ? passed : failed);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0 || passed == 0;
}

}  // namespace

Add::Add(std::string name, std::function<void()> body) {
  tests().push_back({std::move(name), std::move(body)});
}

std::vector<nlohmann::json> vectors(const std::string& file, std::size_t at_least) {
  std::ifstream in(std::string(VECTORS) + "/" + file);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  check(lines.size() >= at_least, file + " has " + std::to_string(lines.size()) + " lines");
  return lines;
}

}  // namespace tichu_bot::test

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);
  return tichu_bot::test::run(count > 1 ? words[1] : "");
}
