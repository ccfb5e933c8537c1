// Lines for whoever runs the bot.
#pragma once

#include <string>

namespace tichu_bot {

/// Writes one line to stderr. What others sent may hold anything: control characters become "?".
void say(std::string line);

}  // namespace tichu_bot
