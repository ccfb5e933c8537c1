// What one thread leaves for another.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace tichu_bot {

using Clock = std::chrono::steady_clock;

template <class Item>
class Queue {
 public:
  /// Never waits.
  void push(Item item) {
    {
      std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    changed_.notify_one();
  }

  /// Nothing more will come; what is in it can still be taken.
  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  /// Waits for the next item; nothing when the queue is closed and empty.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !items_.empty(); });
    return take();
  }

  /// As pop, and nothing once it is that late.
  std::optional<Item> pop_until(Clock::time_point limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, limit, [this] { return closed_ || !items_.empty(); });
    return take();
  }

  /// Forgets all items.
  void clear() {
    std::lock_guard lock(mutex_);
    items_.clear();
  }

 private:
  std::optional<Item> take() {
    if (items_.empty()) return std::nullopt;
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool closed_ = false;
};

}  // namespace tichu_bot
