// A real gRPC server in this process, for tests that say what it sends and see what it gets.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "queue.h"
#include "tichu/referee/v1/referee.grpc.pb.h"

namespace tichu_bot::test {

namespace pb = tichu::referee::v1;

/// One stream of a bot, as the referee has it. All waits end in a failure of the test.
class BotStream : public grpc::ServerBidiReactor<pb::PlayRequest, pb::PlayResponse> {
 public:
  explicit BotStream(const grpc::CallbackServerContext& context);

  /// Metadata "authorization", "" without one.
  const std::string& authorization() const { return authorization_; }

  /// The next frame of the bot; nothing when it ended its side, or the link is gone.
  std::optional<pb::PlayRequest> next();

  /// The next frame of the bot, which has to come.
  pb::PlayRequest frame();

  void send(pb::PlayResponse frame);

  /// Reads the Hello and accepts it.
  pb::Hello welcome(const std::string& session_token = "session", bool resumed = false);

  /// Ends the stream.
  void end(grpc::Status status = grpc::Status::OK);

 private:
  friend class ScriptedReferee;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override { written_.push(ok); }
  void OnCancel() override { end(grpc::Status::CANCELLED); }
  void OnDone() override;

  std::string authorization_;
  pb::PlayRequest reading_;
  pb::PlayResponse writing_;
  Queue<std::optional<pb::PlayRequest>> frames_;
  Queue<bool> written_;
  std::atomic<bool> ended_ = false;
  std::shared_ptr<BotStream> self_;  // as long as gRPC has it
};

class ScriptedReferee : private pb::RefereeService::CallbackService {
 public:
  /// Listens on "unix:/path", or on a free port of this machine.
  explicit ScriptedReferee(const std::string& where = "127.0.0.1:0");
  ~ScriptedReferee() override;

  const std::string& address() const { return address_; }

  /// The next stream that a bot opens.
  std::shared_ptr<BotStream> stream();

 private:
  grpc::ServerBidiReactor<pb::PlayRequest, pb::PlayResponse>* Play(
      grpc::CallbackServerContext* context) override;

  Queue<std::shared_ptr<BotStream>> streams_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tichu_bot::test
