package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"tichubot/internal/pb"
)

// asProcess makes the test's own program the bot, for a test that wants a process.
const asProcess = "TEST_AS_BOT"

func TestMain(m *testing.M) {
	if os.Getenv(asProcess) != "" {
		main()
	}
	os.Exit(m.Run())
}

// seated returns a referee with a bot that was welcomed.
func seated(t *testing.T, args ...string) (*scriptedReferee, *running, *stream) {
	t.Helper()
	referee := listen(t)
	bot := start(t, map[string]string{"TICHU_SERVER": referee.address}, args...)
	stream := referee.stream(t)
	stream.welcome("first")
	return referee, bot, stream
}

func TestHelloNamesTheBotAndTheTokenTravelsAsMetadata(t *testing.T) {
	referee := listen(t)
	bot := start(t, map[string]string{
		"TICHU_SERVER": referee.address, "TICHU_TOKEN": "secret", "TICHU_BOT_NAME": "Ada",
	}, "--matches", "8")
	stream := referee.stream(t)
	hello := stream.welcome("first")
	want := &pb.Hello{
		ProtocolVersion: 1, BotName: "Ada", BotVersion: botVersion, MaxMatches: 8,
		EventDelivery: pb.EventDelivery_EVENT_DELIVERY_WITH_ASKS, Sdk: sdk,
	}
	if !proto.Equal(hello, want) {
		t.Error(hello)
	}
	if len(stream.token) != 1 || stream.token[0] != "Bearer secret" {
		t.Error(stream.token)
	}
	stream.playsOn(1)
	bot.saysGoodbye(stream)
	if line := fmt.Sprintf("connected to %s as Ada\n", referee.address); bot.stderr.String() != line {
		t.Errorf("stderr: %q, want %q", bot.stderr.String(), line)
	}
	if bot.stdout.Len() != 0 {
		t.Errorf("stdout: %q", bot.stdout.String())
	}
}

func TestALostLinkIsDialledAgainWithTheSessionToken(t *testing.T) {
	referee, bot, stream := seated(t)
	token := "first"
	for lost := range 3 {
		stream.update(&pb.Update{Asks: []*pb.Ask{turn(uint32(lost + 1))}})
		stream.end(status.Error(codes.Unavailable, "cut"))
		stream = referee.stream(t)
		if hello := stream.welcome(fmt.Sprint("token", lost)); hello.GetSessionToken() != token {
			t.Error(hello)
		}
		token = fmt.Sprint("token", lost)
		stream.playsOn(uint32(lost + 1))
	}
	bot.saysGoodbye(stream)
}

func TestClosingWithRetryAndAnUnknownStatusAreALostLink(t *testing.T) {
	referee, bot, stream := seated(t)
	stream.send(&pb.PlayResponse{Closing: &pb.Closing{Code: 77, Text: "later", Retry: true}})
	stream.end(status.Error(codes.Code(99), "of the future"))
	stream = referee.stream(t)
	stream.welcome("second")
	stream.end(nil)
	stream = referee.stream(t)
	if hello := stream.welcome("third"); hello.GetSessionToken() != "second" {
		t.Error(hello)
	}
	bot.saysGoodbye(stream)
}

func TestARefereeThatIsStartedAnewIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	bot := start(t, map[string]string{"TICHU_SERVER": "unix:" + path})
	stream := listenAt(t, path).stream(t)
	stream.welcome("first")
	bot.saysGoodbye(stream)
}

func TestTheListOfServersIsTriedInOrder(t *testing.T) {
	nobody := "unix:" + filepath.Join(t.TempDir(), "nobody")
	referee := listen(t)
	bot := start(t, map[string]string{"TICHU_SERVER": nobody + ", " + referee.address})
	stream := referee.stream(t)
	stream.welcome("first")
	bot.saysGoodbye(stream)
}

func TestMovedAndRedirectAreFollowedWithTheSessionToken(t *testing.T) {
	first, bot, stream := seated(t)
	second, third := listen(t), listen(t)
	stream.send(&pb.PlayResponse{Moved: &pb.Moved{Address: second.address}})
	stream = second.stream(t)
	if hello := stream.receive().Hello; hello.GetSessionToken() != "first" {
		t.Error(hello)
	}
	stream.send(&pb.PlayResponse{Redirect: &pb.Redirect{Address: third.address}})
	stream = third.stream(t)
	if hello := stream.welcome("second"); hello.GetSessionToken() != "first" {
		t.Error(hello)
	}
	stream.playsOn(1)
	stream.end(status.Error(codes.Unavailable, "cut"))
	stream = third.stream(t) // where it was moved to comes first
	if hello := stream.receive().Hello; hello.GetSessionToken() != "second" {
		t.Error(hello)
	}
	stream.end(status.Error(codes.Unavailable, "not yet"))
	stream = first.stream(t) // then the list
	stream.welcome("third")
	bot.saysGoodbye(stream)
}

func TestFiveRedirectsAreFollowedAndTheSixthIsNot(t *testing.T) {
	referee := listen(t)
	bot := start(t, map[string]string{"TICHU_SERVER": referee.address})
	redirect := func() {
		stream := referee.stream(t)
		stream.receive()
		stream.send(&pb.PlayResponse{Redirect: &pb.Redirect{Address: referee.address}})
	}
	for range mostRedirects {
		redirect()
	}
	stream := referee.stream(t)
	stream.welcome("first") // the row is broken
	stream.end(status.Error(codes.Unavailable, "cut"))
	for range mostRedirects + 1 {
		redirect()
	}
	bot.exits(exitRefused, "more than 5 redirects")
}

func TestARedirectTakesNoTokenOffThisMachineInTheClear(t *testing.T) {
	referee := listen(t)
	bot := start(t, map[string]string{"TICHU_SERVER": referee.address, "TICHU_TOKEN": "secret"})
	stream := referee.stream(t)
	stream.receive()
	stream.send(&pb.PlayResponse{Redirect: &pb.Redirect{Address: "192.0.2.1:50051"}})
	bot.exits(exitSettings, "192.0.2.1:50051 is not on this machine")
	if strings.Contains(bot.stderr.String(), "secret") {
		t.Error(bot.stderr.String())
	}
}

func TestClosingWithoutRetryEndsTheProcess(t *testing.T) {
	for code, exit := range map[pb.ClosingCode]int{
		pb.ClosingCode_CLOSING_CODE_DRAINING:   exitDone,
		pb.ClosingCode_CLOSING_CODE_SUPERSEDED: exitDone,
		pb.ClosingCode_CLOSING_CODE_FLOODING:   exitRefused,
		pb.ClosingCode(77):                     exitRefused,
	} {
		_, bot, stream := seated(t)
		stream.send(&pb.PlayResponse{Closing: &pb.Closing{Code: code, Text: "it is over\n\x1b[2J"}})
		stream.end(status.Error(codes.Unavailable, "over"))
		bot.exits(exit, "it is over??[2J")
	}
}

func TestStatusesThatEndTheProcess(t *testing.T) {
	for code, exit := range map[codes.Code]int{
		codes.Unauthenticated:    exitRefused,
		codes.InvalidArgument:    exitRefused,
		codes.FailedPrecondition: exitRefused,
		codes.Aborted:            exitDone,
	} {
		referee := listen(t)
		bot := start(t, map[string]string{"TICHU_SERVER": referee.address})
		referee.stream(t).end(status.Error(code, "the reason"))
		bot.exits(exit, "the reason")
	}
}

func TestARefereeThatIsGoneIsLookedForUntilTheBotGivesUp(t *testing.T) {
	bot := start(t, map[string]string{"TICHU_SERVER": "unix:/nowhere/referee.sock"}, "--give-up", "1")
	bot.exits(exitGone, "gave up")
	referee := listen(t) // one that takes the call and says nothing
	bot = start(t, map[string]string{"TICHU_SERVER": referee.address}, "--give-up", "1")
	bot.exits(exitGone, "no answer in time")
}

func TestASignalEndsTheProcessInGoodOrder(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		referee := listen(t)
		process := exec.Command(os.Args[0])
		process.Env = append(os.Environ(), asProcess+"=yes", "TICHU_SERVER="+referee.address, "TICHU_TOKEN=")
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		defer process.Process.Kill()
		stream := referee.stream(t)
		stream.welcome("first")
		stream.playsOn(1)
		if err := process.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if frame := stream.receive(); frame.Goodbye == nil {
			t.Errorf("%v instead of a Goodbye", frame)
		}
		stream.end(nil)
		if err := process.Wait(); err != nil {
			t.Error(signal, err)
		}
	}
}

func TestASignalEndsAlsoABotThatWasNotWelcomed(t *testing.T) {
	bot := start(t, map[string]string{"TICHU_SERVER": "unix:/nowhere/referee.sock"})
	bot.stop()
	bot.exits(exitDone, "")
	referee := listen(t)
	bot = start(t, map[string]string{"TICHU_SERVER": referee.address})
	stream := referee.stream(t)
	stream.receive()
	bot.saysGoodbye(stream)
}

func TestABotEndsThoughTheRefereeDoesNotEndTheStream(t *testing.T) {
	_, bot, stream := seated(t)
	stream.playsOn(1)
	bot.stop()
	bot.exits(exitDone, "")
}
