// Command bot plays Tichu: it dials a referee, plays any number of matches over one stream, comes
// back after a lost link and ends in good order.
package main

//go:generate go run ./internal/generate

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unicode"

	"google.golang.org/grpc/codes"

	"tichubot/internal/pb"
)

// Exit codes.
const (
	exitDone     = 0
	exitBug      = 1
	exitSettings = 2
	exitGone     = 3 // no referee answers any more
	exitRefused  = 4 // trying again would end the same way
	goOn         = -1
)

func main() {
	defer exitOnBug()
	signal.Ignore(syscall.SIGPIPE) // a reader of stderr that went away takes no bot with it
	stop, restore := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(stop, restore) // a second signal ends at once
	os.Exit(run(stop, os.Getenv, os.Args[1:], os.Stdout, os.Stderr))
}

// exitOnBug is deferred in each goroutine: a failure of our own ends the process, loudly.
func exitOnBug() {
	if bug := recover(); bug != nil {
		fmt.Fprintf(os.Stderr, "bug: %v\n%s", bug, debug.Stack())
		os.Exit(exitBug)
	}
}

// run plays until the referee or stop ends it, and returns the exit code.
func run(stop context.Context, getenv func(string) string, args []string, stdout, stderr io.Writer) int {
	settings, err := readSettings(getenv, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitDone
	}
	bot := &bot{
		settings:    settings,
		route:       newRoute(settings.servers),
		stderr:      stderr,
		lastWelcome: time.Now(),
	}
	if err != nil {
		bot.say("%v", err)
		return exitSettings
	}
	bot.session = newSession(settings, bot.say)
	return bot.play(stop)
}

// bot is the process: a session over as many streams as it takes.
type bot struct {
	settings    settings
	session     *session
	route       *route
	stderr      io.Writer
	lastWelcome time.Time // or the end of a stream that had one
	lastLost    string    // what was said of a lost link: it is not said again and again
}

// say writes one line to stderr, whatever others put into it.
func (b *bot) say(format string, values ...any) {
	line := strings.Map(func(char rune) rune {
		if unicode.IsPrint(char) {
			return char
		}
		return '?'
	}, fmt.Sprintf(format, values...))
	fmt.Fprintln(b.stderr, line)
}

// play dials and plays, again and again, until it is over.
func (b *bot) play(stop context.Context) int {
	for stop.Err() == nil {
		address := b.route.next()
		began := time.Now()
		result, err := b.playStream(address, stop)
		if err != nil {
			b.say("%v", err)
			return exitSettings
		}
		if stop.Err() != nil {
			break
		}
		if code := b.after(address, result); code != goOn {
			return code
		}
		if result.goTo == "" {
			b.pause(stop, b.route.failed(time.Since(began)))
			if stop.Err() == nil && b.isGone() {
				return exitGone
			}
		}
	}
	return exitDone
}

// playStream lives through one stream.
func (b *bot) playStream(address string, stop context.Context) (ended, error) {
	if err := b.settings.check(address); err != nil {
		return ended{}, err
	}
	conn, err := dial(address, b.settings)
	if err != nil {
		return ended{}, fmt.Errorf("%s cannot be dialled: %w", address, err)
	}
	defer conn.Close()
	link := &link{
		session: b.session,
		outbox:  newOutbox(),
		onWelcome: func() {
			b.route.welcomed(address)
			b.lastLost = ""
			b.say("connected to %s as %s", address, b.settings.botName)
		},
		answered: make(chan struct{}),
	}
	patience := min(firstFrameWithin, b.settings.giveUp-time.Since(b.lastWelcome))
	result := link.run(conn, b.settings.token, stop.Done(), patience)
	if result.welcomed {
		b.lastWelcome = time.Now()
	}
	return result, nil
}

// after decides what the end of a stream means for the process: an exit code, or goOn.
func (b *bot) after(address string, result ended) int {
	switch {
	case result.goTo != "":
		return b.follow(result.goTo)
	case result.closing != nil && !result.closing.Retry:
		return b.closed(result.closing)
	case result.closing != nil:
		return b.lost(address, fmt.Sprintf("%v: %s", result.closing.Code, result.closing.Text))
	case result.status.Code() == codes.Aborted:
		b.say("another process took over: %s", result.status.Message())
		return exitDone
	case !result.welcomed && isFinal(result.status.Code()):
		b.say("refused by the referee: %v: %s", result.status.Code(), result.status.Message())
		return exitRefused
	}
	if result.status.Code() == codes.Canceled && !result.welcomed {
		return b.lost(address, "no answer in time")
	}
	return b.lost(address, fmt.Sprintf("%v: %s", result.status.Code(), result.status.Message()))
}

// isFinal tells whether a Hello that was refused so would be refused again.
func isFinal(code codes.Code) bool {
	switch code {
	case codes.Unauthenticated, codes.PermissionDenied, codes.InvalidArgument,
		codes.FailedPrecondition, codes.Unimplemented:
		return true
	}
	return false
}

func (b *bot) follow(address string) int {
	b.say("going on at %s", address)
	if b.route.redirected(address) {
		return goOn
	}
	b.say("more than %d redirects in a row: the referees send each other's bots around", mostRedirects)
	return exitRefused
}

func (b *bot) closed(closing *pb.Closing) int {
	b.say("the referee closes: %v: %s", closing.Code, closing.Text)
	switch closing.Code {
	case pb.ClosingCode_CLOSING_CODE_DRAINING, pb.ClosingCode_CLOSING_CODE_SUPERSEDED:
		return exitDone
	}
	return exitRefused
}

func (b *bot) lost(address, why string) int {
	if line := fmt.Sprintf("no link to %s: %s", address, why); line != b.lastLost {
		b.lastLost = line
		b.say("%s", line)
	}
	return goOn
}

// pause waits before the next dial, and no longer than there is hope.
func (b *bot) pause(stop context.Context, pause time.Duration) {
	left := b.settings.giveUp - time.Since(b.lastWelcome)
	select {
	case <-stop.Done():
	case <-time.After(min(pause, left)):
	}
}

// isGone tells whether the referee was looked for long enough.
func (b *bot) isGone() bool {
	if time.Since(b.lastWelcome) < b.settings.giveUp {
		return false
	}
	b.say("gave up: no referee said Welcome for %v", b.settings.giveUp)
	return true
}
