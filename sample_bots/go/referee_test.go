package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"tichubot/internal/pb"
)

// limit is generous: it ends a test that failed, it measures nothing.
const limit = 60 * time.Second

// scriptedReferee is a real gRPC server on a unix socket; a test says what it sends and sees what
// it gets.
type scriptedReferee struct {
	pb.UnimplementedRefereeServiceServer
	address string
	arrived chan *stream
}

// stream is one stream of a bot, as the referee has it.
type stream struct {
	t     *testing.T
	call  grpc.BidiStreamingServer[pb.PlayRequest, pb.PlayResponse]
	token []string
	ended chan error
}

func listen(t *testing.T) *scriptedReferee {
	t.Helper()
	folder, err := os.MkdirTemp("", "bot") // the test's own folder may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return listenAt(t, filepath.Join(folder, "referee.sock"))
}

func listenAt(t *testing.T, path string) *scriptedReferee {
	t.Helper()
	socket, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	referee := &scriptedReferee{address: "unix:" + path, arrived: make(chan *stream, 16)}
	server := grpc.NewServer()
	pb.RegisterRefereeServiceServer(server, referee)
	go server.Serve(socket)
	t.Cleanup(server.Stop)
	return referee
}

func (r *scriptedReferee) Play(call grpc.BidiStreamingServer[pb.PlayRequest, pb.PlayResponse]) error {
	said, _ := metadata.FromIncomingContext(call.Context())
	arrived := &stream{call: call, token: said.Get("authorization"), ended: make(chan error, 1)}
	r.arrived <- arrived
	select {
	case err := <-arrived.ended:
		return err
	case <-call.Context().Done():
		return call.Context().Err()
	}
}

// stream returns the next stream that the bot opens.
func (r *scriptedReferee) stream(t *testing.T) *stream {
	t.Helper()
	select {
	case arrived := <-r.arrived:
		arrived.t = t
		return arrived
	case <-time.After(limit):
		t.Fatal("the bot did not dial")
		return nil
	}
}

// receive returns the bot's next frame.
func (s *stream) receive() *pb.PlayRequest {
	s.t.Helper()
	frame, err := s.call.Recv()
	if err != nil {
		s.t.Fatalf("the bot sent nothing: %v", err)
	}
	return frame
}

func (s *stream) send(frame *pb.PlayResponse) {
	s.t.Helper()
	if err := s.call.Send(frame); err != nil {
		s.t.Fatal(err)
	}
}

// update sends what is new in match 1.
func (s *stream) update(update *pb.Update) {
	s.t.Helper()
	update.Match = 1
	s.send(&pb.PlayResponse{Updates: []*pb.Update{update}})
}

// welcome reads the Hello and accepts it.
func (s *stream) welcome(sessionToken string) *pb.Hello {
	s.t.Helper()
	hello := s.receive().Hello
	if hello == nil {
		s.t.Fatal("the first frame is no Hello")
	}
	s.send(&pb.PlayResponse{Welcome: &pb.Welcome{SessionToken: sessionToken, ProtocolVersion: 1}})
	return hello
}

// end ends the stream; without an error in good order.
func (s *stream) end(err error) { s.ended <- err }

// answers fails the test unless the next frame has exactly these answers.
func (s *stream) answers(want ...*pb.Answer) {
	s.t.Helper()
	frame := s.receive()
	if !proto.Equal(&pb.PlayRequest{Answers: frame.Answers}, &pb.PlayRequest{Answers: want}) {
		s.t.Fatalf("answered %v, want %v", frame.Answers, want)
	}
}

// playsOn asks once more: the bot is there and plays.
func (s *stream) playsOn(ask uint32) {
	s.t.Helper()
	s.update(&pb.Update{Asks: []*pb.Ask{turn(ask)}})
	s.answers(playFirst(ask))
}

// running is a bot in this process.
type running struct {
	t      *testing.T
	stop   context.CancelFunc
	exited chan int
	stdout bytes.Buffer
	stderr bytes.Buffer
}

func start(t *testing.T, env map[string]string, args ...string) *running {
	ctx, stop := context.WithCancel(context.Background())
	bot := &running{t: t, stop: stop, exited: make(chan int, 1)}
	t.Cleanup(stop)
	go func() {
		getenv := func(name string) string { return env[name] }
		bot.exited <- run(ctx, getenv, args, &bot.stdout, &bot.stderr)
	}()
	return bot
}

// exits waits for the end of the bot, with this code and this text on stderr.
func (r *running) exits(code int, says string) {
	r.t.Helper()
	select {
	case got := <-r.exited:
		if got != code || !strings.Contains(r.stderr.String(), says) {
			r.t.Fatalf("exit %d, want %d with %q:\n%s", got, code, says, r.stderr.String())
		}
	case <-time.After(limit):
		r.t.Fatalf("the bot goes on, want exit %d", code)
	}
}

// saysGoodbye stops the bot, which ends in good order.
func (r *running) saysGoodbye(s *stream) {
	r.t.Helper()
	r.stop()
	if frame := s.receive(); frame.Goodbye == nil {
		r.t.Fatalf("%v instead of a Goodbye", frame)
	}
	if _, err := s.call.Recv(); err != io.EOF {
		r.t.Fatalf("%v instead of a half-close", err)
	}
	s.end(nil)
	r.exits(exitDone, "")
}

// turn asks for a play that has one answer.
func turn(ask uint32) *pb.Ask {
	six := &pb.Play{
		Cards: []pb.Card{pb.Card_CARD_STAR_6}, Kind: pb.PlayKind_PLAY_KIND_SINGLE, RankHalves: 12,
	}
	act := &pb.ActAsk{Plays: []*pb.Play{six}, Leading: true}
	return &pb.Ask{AskId: ask, Kind: &pb.Ask_Act{Act: act}}
}

func playFirst(ask uint32) *pb.Answer {
	act := &pb.ActAnswer{Choice: &pb.ActAnswer_Index{Index: 0}}
	return &pb.Answer{Match: 1, AskId: ask, Decision: &pb.Answer_Act{Act: act}}
}

func takeDefault(ask uint32) *pb.Answer {
	action := &pb.Answer_DefaultAction{DefaultAction: &pb.DefaultAction{}}
	return &pb.Answer{Match: 1, AskId: ask, Decision: action}
}

func decline(ask uint32) *pb.Answer {
	bomb := &pb.BombAnswer{Choice: &pb.BombAnswer_Decline{Decline: &pb.Decline{}}}
	return &pb.Answer{Match: 1, AskId: ask, Decision: &pb.Answer_Bomb{Bomb: bomb}}
}
