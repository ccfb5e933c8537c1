package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tichubot/internal/pb"
)

const (
	firstFrameWithin = 10 * time.Second // a referee answers Hello at once
	lastWordWithin   = 2 * time.Second  // for the referee to end its side
)

// ended is how a stream ended, as far as the referee said.
type ended struct {
	status   *status.Status
	welcomed bool
	goTo     string      // Redirect or Moved: dial there
	closing  *pb.Closing // its last frame
}

// link is one stream: a reader that answers each frame, and a writer.
type link struct {
	session   *session
	outbox    *outbox
	onWelcome func()
	answered  chan struct{} // closed when the referee has said something
}

// run plays one stream to its end, or until the referee does not answer in time. On stop the bot
// says Goodbye.
func (l *link) run(conn *grpc.ClientConn, token string, stop <-chan struct{}, patience time.Duration) ended {
	ctx, cancel := context.WithCancel(withToken(context.Background(), token))
	defer cancel()
	l.outbox.put(l.session.hello())
	result := make(chan ended, 1)
	go func() {
		defer exitOnBug()
		result <- l.converse(ctx, cancel, conn)
	}()
	deadline := time.AfterFunc(patience, cancel)
	defer deadline.Stop()
	for answered := l.answered; ; {
		select {
		case <-answered:
			answered = nil
			deadline.Stop()
		case <-stop:
			stop, answered = nil, nil
			l.outbox.put(&pb.PlayRequest{Goodbye: &pb.Goodbye{Text: "told to end"}})
			l.outbox.close()
			deadline.Reset(lastWordWithin)
		case result := <-result:
			return result
		}
	}
}

// converse opens the stream and answers until it ends.
func (l *link) converse(ctx context.Context, cancel func(), conn *grpc.ClientConn) (result ended) {
	stream, err := pb.NewRefereeServiceClient(conn).Play(ctx)
	if err != nil {
		return ended{status: status.Convert(err)}
	}
	written := make(chan struct{})
	go func() {
		defer exitOnBug()
		defer close(written)
		l.outbox.write(stream)
	}()
	defer func() { // nobody but the writer touches the stream's sending side
		cancel()
		<-written
	}()
	for {
		frame, err := stream.Recv()
		if err != nil {
			result.status = statusOf(err)
			return result
		}
		l.take(frame, &result)
		if result.goTo != "" { // the clocks of open asks run: no last word is waited for
			return result
		}
		if frame.Closing != nil {
			time.AfterFunc(lastWordWithin, cancel)
		}
	}
}

// take answers one frame, all of it in one frame, and notes what it says of the stream.
func (l *link) take(frame *pb.PlayResponse, result *ended) {
	if !result.welcomed && frame.Welcome != nil {
		result.welcomed = true
		l.onWelcome()
	}
	select {
	case <-l.answered:
	default:
		close(l.answered)
	}
	if request := l.session.reply(frame); request != nil {
		l.outbox.put(request)
	}
	switch {
	case frame.Redirect != nil:
		result.goTo = frame.Redirect.Address
	case frame.Moved != nil:
		result.goTo = frame.Moved.Address
	case frame.Closing != nil:
		result.closing = frame.Closing
		l.outbox.close()
	}
}

func statusOf(err error) *status.Status {
	if errors.Is(err, io.EOF) {
		return status.New(codes.OK, "the referee ended the stream")
	}
	return status.Convert(err)
}

// outbox is what waits to be sent: the reader never waits for the writer.
type outbox struct {
	mutex  sync.Mutex
	frames []*pb.PlayRequest
	closed bool
	filled chan struct{} // holds one token while there is something to take
}

func newOutbox() *outbox { return &outbox{filled: make(chan struct{}, 1)} }

// put adds a frame; behind the end there is nobody to read it.
func (o *outbox) put(frame *pb.PlayRequest) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if !o.closed {
		o.frames = append(o.frames, frame)
		o.ring()
	}
}

// close half-closes the stream behind what waits.
func (o *outbox) close() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.closed = true
	o.ring()
}

func (o *outbox) ring() {
	select {
	case o.filled <- struct{}{}:
	default:
	}
}

func (o *outbox) take() (frames []*pb.PlayRequest, closed bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	frames, o.frames = o.frames, nil
	return frames, o.closed
}

// write sends what is put in, one frame after the other, to the end of the outbox or the stream.
func (o *outbox) write(stream grpc.BidiStreamingClient[pb.PlayRequest, pb.PlayResponse]) {
	for {
		select {
		case <-stream.Context().Done():
			return
		case <-o.filled:
		}
		frames, closed := o.take()
		for _, frame := range frames {
			if stream.Send(frame) != nil { // the reader hears why
				return
			}
		}
		if closed {
			stream.CloseSend()
			return
		}
	}
}
