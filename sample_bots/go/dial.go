package main

import (
	"context"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

const usage = `usage: TICHU_SERVER=ADDRESS bot [--plaintext] [--matches N] [--give-up SECONDS]

Dials a referee and plays.

  TICHU_SERVER       unix:/path or host:port; a comma list is tried in order
  TICHU_TOKEN        who the bot is
  TICHU_CA_FILE      PEM file of the authority that signs the referee's certificate; turns TLS on
  TICHU_BOT_NAME     name for display
  --plaintext        lets the token travel unencrypted to another machine
  --matches N        matches at once, 1 to 512; default 64
  --give-up SECONDS  how long to look for a referee that does not answer; default 60

Exit status: 0 in order, 1 a bug, 2 settings, 3 the referee is gone, 4 it refused this process.
`

const (
	defaultName     = "greedy-go"
	longestName     = 64 // characters
	largestFrame    = 16 << 20
	firstPause      = 100 * time.Millisecond
	longestPause    = 2 * time.Second
	goodLink        = 5 * time.Second // one that lived so long: the next pause is the first again
	mostRedirects   = 5               // in a row
	unixPrefix      = "unix:"
	authorization   = "authorization"
	mostMatches     = 512
	longestPatience = 24 * 60 * 60 // seconds
)

// settings is what whoever starts the bot may say.
type settings struct {
	servers    []string // in the order to try: unix:/path or host:port
	token      string   // "": none is sent
	caFile     string   // "": no TLS
	authority  *x509.CertPool
	plaintext  bool // secrets may leave this machine without TLS
	botName    string
	maxMatches int
	giveUp     time.Duration
}

// readSettings reads the environment and the flags. An error says in one line what to set; with
// --help it is flag.ErrHelp.
func readSettings(getenv func(string) string, args []string) (settings, error) {
	read := settings{
		token:   getenv("TICHU_TOKEN"),
		caFile:  getenv("TICHU_CA_FILE"),
		botName: displayName(getenv("TICHU_BOT_NAME")),
	}
	if err := read.parseFlags(args); err != nil {
		return read, err
	}
	for _, server := range strings.Split(getenv("TICHU_SERVER"), ",") {
		if server = strings.TrimSpace(server); server != "" {
			read.servers = append(read.servers, server)
		}
	}
	if len(read.servers) == 0 {
		return read, errors.New("TICHU_SERVER is not set: set it to unix:/path, host:port, or a comma list")
	}
	if strings.ContainsFunc(read.token, func(char rune) bool { return char < ' ' || char > '~' }) {
		return read, errors.New("TICHU_TOKEN holds a character that no token has: set it anew")
	}
	if err := read.readAuthority(); err != nil {
		return read, err
	}
	for _, server := range read.servers {
		if err := read.check(server); err != nil {
			return read, err
		}
	}
	return read, nil
}

func (s *settings) parseFlags(args []string) error {
	flags := flag.NewFlagSet("bot", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&s.plaintext, "plaintext", false, "")
	flags.IntVar(&s.maxMatches, "matches", 64, "")
	seconds := flags.Int("give-up", 60, "")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return fmt.Errorf("%w; flags: --plaintext, --matches N, --give-up SECONDS", err)
	case flags.NArg() > 0:
		return fmt.Errorf("%q is no flag; flags: --plaintext, --matches N, --give-up SECONDS", flags.Arg(0))
	case s.maxMatches < 1 || s.maxMatches > mostMatches:
		return fmt.Errorf("--matches %d: a number from 1 to %d is needed", s.maxMatches, mostMatches)
	case *seconds < 1 || *seconds > longestPatience:
		return fmt.Errorf("--give-up %d: a number from 1 to %d is needed", *seconds, longestPatience)
	}
	s.giveUp = time.Duration(*seconds) * time.Second
	return nil
}

func displayName(name string) string {
	name = strings.ToValidUTF8(name, "?")
	if name == "" {
		return defaultName
	}
	return string([]rune(name)[:min(longestName, len([]rune(name)))])
}

func (s *settings) readAuthority() error {
	if s.caFile == "" {
		return nil
	}
	text, err := os.ReadFile(s.caFile)
	if err != nil {
		return fmt.Errorf("TICHU_CA_FILE cannot be read: %w", err)
	}
	s.authority = x509.NewCertPool()
	if !s.authority.AppendCertsFromPEM(text) {
		return fmt.Errorf("TICHU_CA_FILE: no certificate in %s; a PEM file is needed", s.caFile)
	}
	return nil
}

// check refuses an address that cannot be dialled, and one to which the token would travel in the
// clear.
func (s *settings) check(address string) error {
	if !isAddress(address) {
		return fmt.Errorf("TICHU_SERVER %s is no address: unix:/path or host:port is needed", address)
	}
	if strings.HasPrefix(address, unixPrefix) {
		return nil
	}
	if s.token == "" || s.authority != nil || s.plaintext || isLocal(address) {
		return nil
	}
	return fmt.Errorf("%s is not on this machine and the token would travel in the clear: "+
		"set TICHU_CA_FILE for TLS, or say --plaintext", address)
}

// isAddress tells whether a text can be dialled: no port is ever made up.
func isAddress(text string) bool {
	if path, isUnix := strings.CutPrefix(text, unixPrefix); isUnix {
		return strings.Trim(path, "/") != ""
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" || strings.ContainsAny(host, " /@") {
		return false
	}
	number, err := strconv.ParseUint(port, 10, 16)
	return err == nil && number > 0
}

// isLocal tells whether what is sent to a host:port stays on this machine.
func isLocal(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// dial prepares a connection of its own for each stream; nothing is sent yet.
func dial(address string, settings settings) (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	target := address
	if !strings.HasPrefix(address, unixPrefix) {
		target = "dns:///" + address
		if settings.authority != nil {
			transport = credentials.NewClientTLSFromCert(settings.authority, "")
		}
	}
	return grpc.NewClient(target,
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largestFrame)),
		// A stream is resumed with the session token, and pauses are the route's.
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		// Bots dial referees, not web sites: a proxy in the environment is not meant.
		grpc.WithNoProxy(),
	)
}

// withToken says who the bot is.
func withToken(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, authorization, "Bearer "+token)
}

// route decides which address is dialled next, and after which pause.
type route struct {
	servers   []string
	queue     []string
	last      string // the last one that said Welcome
	redirects int
	pause     time.Duration
}

func newRoute(servers []string) *route {
	return &route{servers: servers, queue: slices.Clone(servers), pause: firstPause}
}

// next returns the next address; behind the last one the list begins again, the last good one
// first.
func (r *route) next() string {
	if len(r.queue) == 0 {
		if r.last != "" {
			r.queue = append(r.queue, r.last)
		}
		for _, server := range r.servers {
			if server != r.last {
				r.queue = append(r.queue, server)
			}
		}
	}
	address := r.queue[0]
	r.queue = r.queue[1:]
	return address
}

func (r *route) welcomed(address string) {
	r.last = address
	r.queue = nil
	r.redirects = 0
}

// redirected has the address named dialled next; false behind five in a row, which lead nowhere.
func (r *route) redirected(address string) bool {
	r.redirects++
	r.queue = slices.Insert(r.queue, 0, address)
	return r.redirects <= mostRedirects
}

// failed returns the pause before the next dial: none while addresses are untried.
func (r *route) failed(lived time.Duration) time.Duration {
	r.redirects = 0
	if lived >= goodLink {
		r.pause = firstPause
	}
	if len(r.queue) > 0 {
		return 0
	}
	pause := r.pause
	r.pause = min(2*pause, longestPause)
	return pause
}
