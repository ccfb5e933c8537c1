#include "bot_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "queue.h"
#include "test.h"

namespace tichu_bot::test {
namespace {

constexpr std::chrono::seconds kLimit{60};

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "tichu-XXXXXX").string();
  check(mkdtemp(path.data()) != nullptr, "a temporary folder");
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

BotProcess::BotProcess(const std::vector<std::string>& variables,
                       const std::vector<std::string>& flags) {
  std::vector<std::string> environment = variables;
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"})
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  std::vector<std::string> words{BOT};
  words.insert(words.end(), flags.begin(), flags.end());
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const int write = O_WRONLY | O_CREAT;
  posix_spawn_file_actions_addopen(&files, 1, folder_.file("out").c_str(), write, 0600);
  posix_spawn_file_actions_addopen(&files, 2, folder_.file("err").c_str(), write, 0600);
  const int error = posix_spawn(&process_, BOT, &files, nullptr, pointers(words).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  check(error == 0, "the bot starts");
}

BotProcess::~BotProcess() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void BotProcess::signal(int number) const { kill(process_, number); }

Exited BotProcess::exit() {
  Queue<int> ended;
  std::thread waiting([this, &ended] {
    siginfo_t unused;
    waitid(P_PID, static_cast<id_t>(process_), &unused, WEXITED | WNOWAIT);
    ended.push(0);
  });
  const bool in_time = ended.pop_until(Clock::now() + kLimit).has_value();
  if (!in_time) kill(process_, SIGKILL);
  waiting.join();
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = 0;
  check(in_time, "the bot did not end in time; it said: " + content(folder_.file("err")));
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          content(folder_.file("out")), content(folder_.file("err"))};
}

}  // namespace tichu_bot::test
