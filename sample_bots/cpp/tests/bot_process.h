// The built bot as a process of its own, started as a referee does.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tichu_bot::test {

/// A folder that is gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Exited {
  int code = -1;  // or minus the signal that killed it
  std::string output;
  std::string errors;
};

class BotProcess {
 public:
  /// `variables` as "NAME=value"; nothing else is in its environment.
  explicit BotProcess(const std::vector<std::string>& variables,
                      const std::vector<std::string>& flags = {});

  /// Kills it where it still runs.
  ~BotProcess();

  void signal(int number) const;

  /// Waits for its end; fails the test if that does not come.
  Exited exit();

 private:
  TemporaryFolder folder_;
  pid_t process_ = 0;
};

}  // namespace tichu_bot::test
