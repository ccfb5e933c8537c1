#include "report.h"

#include <algorithm>
#include <cstdio>

namespace tichu_bot {

void say(std::string line) {
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);  // at once: lines of two threads stay whole
}

}  // namespace tichu_bot
