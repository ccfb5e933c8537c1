// One stream to the referee.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <thread>
#include <variant>

#include "dial.h"
#include "queue.h"
#include "tichu/referee/v1/referee.grpc.pb.h"

namespace tichu_bot {

namespace pb = tichu::referee::v1;

/// The process is told to end, by the signal named.
struct Stop {
  std::string signal;
};

/// What the process waits for: a frame, the end of the stream, or to be told to end.
using Happening = std::variant<pb::PlayResponse, grpc::Status, Stop>;

/// One stream, with a thread that only reads and one that only writes: neither ever waits for
/// what the bot thinks.
class Link {
 public:
  /// Dials. Frames come into `inbox`, and the status of the stream after them.
  Link(const std::string& address, const Config& config, Queue<Happening>& inbox);

  /// Ends the stream, whatever is on its way.
  ~Link();

  /// Sends behind what waits.
  void send(pb::PlayRequest frame) { outbox_.push(std::move(frame)); }

  /// Ends this side of the stream behind what waits.
  void half_close() { outbox_.close(); }

 private:
  using Stream = grpc::ClientReaderWriter<pb::PlayRequest, pb::PlayResponse>;

  void read();
  void write(Stream& stream);

  std::unique_ptr<pb::RefereeService::Stub> stub_;
  grpc::ClientContext context_;
  Queue<Happening>& inbox_;
  Queue<pb::PlayRequest> outbox_;
  std::thread reader_;
};

}  // namespace tichu_bot
