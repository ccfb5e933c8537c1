package main

import (
	"fmt"

	"tichubot/internal/pb"
	"tichubot/strategy"
)

const (
	protocolVersion = 1
	botVersion      = "0.1.0"
	sdk             = "tichu-sample-go 0.1"
)

// session is a session with a referee: a frame in, at most one frame out. No sockets and no clock
// here, so it outlives any stream. Asks carry a snapshot: of a match it keeps only how it is seated
// and what it has said already.
type session struct {
	botName    string
	maxMatches int
	decide     func(strategy.View) strategy.Answer
	say        func(format string, values ...any)

	token       string // of the last Welcome: brings this process back into its seats
	matches     map[uint32]*match
	lastRequest uint32
}

// match is one seat of one match, by its number in the session.
type match struct {
	seating   *pb.Seating
	round     uint32
	stoodDown map[uint32]bool // hands that said so in this round
	defaulted map[uint32]bool // asks whose first answer was refused
}

func newSession(settings settings, say func(string, ...any)) *session {
	return &session{
		botName:    settings.botName,
		maxMatches: settings.maxMatches,
		decide:     strategy.Decide,
		say:        say,
		matches:    map[uint32]*match{},
	}
}

// hello returns the first frame of every stream.
func (s *session) hello() *pb.PlayRequest {
	hello := &pb.Hello{
		ProtocolVersion: protocolVersion,
		BotName:         s.botName,
		BotVersion:      botVersion,
		MaxMatches:      uint32(s.maxMatches),
		// The snapshots say what happened; events are not looked at.
		EventDelivery: pb.EventDelivery_EVENT_DELIVERY_WITH_ASKS,
		Sdk:           sdk,
	}
	if s.token != "" {
		hello.SessionToken = &s.token
	}
	return &pb.PlayRequest{Hello: hello}
}

// reply takes in one frame and returns the frame that answers all of it; nil: nothing is due.
func (s *session) reply(frame *pb.PlayResponse) *pb.PlayRequest {
	if frame.Welcome != nil {
		s.token = frame.Welcome.SessionToken
		s.matches = map[uint32]*match{} // each comes again, with its seating and its open asks
	}
	for _, refused := range frame.Refused {
		s.sayRefused(refused)
	}
	request := &pb.PlayRequest{}
	debts := debts{open: map[debtKey]debt{}}
	for _, update := range frame.Updates {
		s.takeIn(update, &debts, request)
	}
	for _, key := range debts.order {
		if owed, open := debts.open[key]; open {
			request.Answers = append(request.Answers, s.answer(key, owed))
			delete(debts.open, key)
		}
	}
	if frame.Ping != nil {
		request.Pong = &pb.Pong{Number: frame.Ping.Number}
	}
	if request.Answers == nil && request.StandDowns == nil && request.Pong == nil {
		return nil
	}
	return request
}

// debts is what a frame asks for, in its order: a later part of it may cancel an earlier one.
type debts struct {
	order []debtKey
	open  map[debtKey]debt
}

type debtKey struct{ match, ask uint32 }

// debt is an ask and what is known with it; without an ask the substitute action is owed.
type debt struct {
	ask      *pb.Ask
	snapshot *pb.Snapshot
	seating  *pb.Seating
}

func (d *debts) owe(key debtKey, owed debt) {
	d.order = append(d.order, key)
	d.open[key] = owed
}

func (d *debts) cancel(key debtKey) { delete(d.open, key) }

func (s *session) takeIn(update *pb.Update, debts *debts, request *pb.PlayRequest) {
	seat := s.matches[update.Match]
	if seat == nil || update.Seating != nil {
		seat = &match{
			seating:   update.Seating,
			stoodDown: map[uint32]bool{},
			defaulted: map[uint32]bool{},
		}
		s.matches[update.Match] = seat
	}
	for _, ask := range update.Asks {
		delete(seat.defaulted, ask.AskId) // put again after a lost link
		debts.owe(debtKey{update.Match, ask.AskId}, debt{ask, update.Snapshot, seat.seating})
		s.standDown(update.Match, seat, ask.ForSeat, update.Snapshot, request)
	}
	s.correct(update, seat, debts)
	for _, cancelled := range update.Cancelled {
		debts.cancel(debtKey{update.Match, cancelled.AskId})
	}
	for _, event := range update.Events {
		if event.GetMatchEnded() != nil {
			delete(s.matches, update.Match)
		}
	}
}

// correct takes the safe way out where an answer was refused and may be given once more.
func (s *session) correct(update *pb.Update, seat *match, debts *debts) {
	takeDefault := func(ask uint32) {
		if !seat.defaulted[ask] {
			seat.defaulted[ask] = true
			debts.owe(debtKey{update.Match, ask}, debt{})
		}
	}
	explained := map[uint32]bool{}
	for _, refused := range update.Refused {
		s.sayRefused(refused)
		subject, isAsk := refused.Subject.(*pb.Refused_AskId)
		if !isAsk {
			continue
		}
		explained[subject.AskId] = true
		if refused.ResendsLeft > 0 {
			takeDefault(subject.AskId)
		}
	}
	for _, ack := range update.Acks {
		subject, isAsk := ack.Subject.(*pb.Acknowledgement_AskId)
		if isAsk && ack.Status == pb.AckStatus_ACK_STATUS_REFUSED && !explained[subject.AskId] {
			takeDefault(subject.AskId)
		}
	}
}

// standDown says once a round that a hand without a bomb will throw none: then its match waits for
// it no more.
func (s *session) standDown(
	number uint32, seat *match, hand uint32, snapshot *pb.Snapshot, request *pb.PlayRequest,
) {
	if snapshot == nil || seat.seating.GetPace() != pb.Pace_PACE_FAIR || !bombsPossible(snapshot) {
		return
	}
	if seat.round != snapshot.Round {
		seat.round = snapshot.Round
		seat.stoodDown = map[uint32]bool{}
	}
	for _, said := range snapshot.StoodDown {
		seat.stoodDown[said] = true
	}
	if seat.stoodDown[hand] || handOf(snapshot, hand).HoldsBomb() {
		return
	}
	seat.stoodDown[hand] = true
	s.lastRequest++
	request.StandDowns = append(request.StandDowns, &pb.StandDown{
		Match: number, ForSeat: &hand, RequestId: s.lastRequest,
	})
}

// bombsPossible tells whether the exchange is over, so that the hand grows no more, and the round
// is not.
func bombsPossible(snapshot *pb.Snapshot) bool {
	switch snapshot.Phase {
	case pb.Phase_PHASE_PLAY, pb.Phase_PHASE_CLOSING, pb.Phase_PHASE_DRAGON, pb.Phase_PHASE_DOG:
		return true
	}
	return false
}

// answer decides one ask. A strategy that fails costs that decision, not the match.
func (s *session) answer(key debtKey, owed debt) (answer *pb.Answer) {
	defer func() {
		if failure := recover(); failure != nil {
			s.say("the strategy failed in match %d, ask %d: %v", key.match, key.ask, failure)
			answer = answerTo(nil, strategy.Answer{Default: true})
		}
		answer.Match = key.match
		answer.AskId = key.ask
	}()
	if owed.ask == nil {
		return answerTo(nil, strategy.Answer{Default: true})
	}
	return answerTo(owed.ask, s.decide(viewOf(owed.ask, owed.snapshot, owed.seating)))
}

func (s *session) sayRefused(refused *pb.Refused) {
	what := "a part of a frame"
	switch subject := refused.Subject.(type) {
	case *pb.Refused_AskId:
		what = fmt.Sprintf("the answer to ask %d", subject.AskId)
	case *pb.Refused_RequestId:
		what = fmt.Sprintf("request %d", subject.RequestId)
	}
	s.say("refused: %s: %v: %s", what, refused.Code, refused.Text)
}
