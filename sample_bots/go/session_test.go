package main

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tichubot/cards"
	"tichubot/internal/pb"
	"tichubot/strategy"
)

func TestOneFrameAnswersAllOfAFrameAndItsPing(t *testing.T) {
	_, bot, stream := seated(t)
	updates := []*pb.Update{}
	for match := uint32(1); match <= 64; match++ {
		updates = append(updates, &pb.Update{Match: match, Asks: []*pb.Ask{turn(match)}})
	}
	cancelled := []*pb.AskCancelled{{AskId: 70}}
	updates = append(updates, &pb.Update{
		Match: 65, Asks: []*pb.Ask{turn(70), turn(71)}, Cancelled: cancelled,
	})
	stream.send(&pb.PlayResponse{Ping: &pb.Ping{Number: 7}, Updates: updates})
	frame := stream.receive()
	if frame.Pong.GetNumber() != 7 || len(frame.Answers) != 65 {
		t.Fatalf("pong %v, %d answers", frame.Pong, len(frame.Answers))
	}
	for i, answer := range frame.Answers {
		want := uint32(i + 1)
		if i == 64 {
			want = 71
		}
		if answer.Match != uint32(i+1) || answer.AskId != want || answer.GetAct() == nil {
			t.Error(answer)
		}
	}
	bot.saysGoodbye(stream)
}

func TestARefusedAnswerIsFollowedByTheSubstituteActionOnce(t *testing.T) {
	_, bot, stream := seated(t)
	refused := func(left uint32) *pb.Update {
		return &pb.Update{
			Acks: []*pb.Acknowledgement{{
				Subject: &pb.Acknowledgement_AskId{AskId: 5}, Status: pb.AckStatus_ACK_STATUS_REFUSED,
			}},
			Refused: []*pb.Refused{{
				Subject: &pb.Refused_AskId{AskId: 5}, Code: 99, ResendsLeft: left, Text: "no such play",
			}},
		}
	}
	stream.playsOn(5)
	stream.update(refused(2))
	stream.answers(takeDefault(5))
	stream.update(refused(1)) // once
	stream.playsOn(6)
	stream.playsOn(5) // put again, and refused for good
	stream.update(refused(0))
	stream.playsOn(7)
	bot.saysGoodbye(stream)
	if !strings.Contains(bot.stderr.String(), "no such play") {
		t.Error(bot.stderr.String())
	}
}

func TestWhatIsOfALaterProtocolDoesNoHarm(t *testing.T) {
	_, bot, stream := seated(t)
	stream.update(&pb.Update{Asks: []*pb.Ask{{AskId: 1}}})
	stream.answers(takeDefault(1))

	ask := turn(2)
	future := protowire.AppendTag(nil, 999, protowire.BytesType)
	ask.ProtoReflect().SetUnknown(protowire.AppendString(future, "of the future"))
	ask.GetAct().Plays[0].Kind = 99
	ask.GetAct().Plays[0].Cards = []pb.Card{5, 200, -3}
	hand := &pb.Gift{Seat: proto.Uint32(0), Cards: []pb.Card{5, 200, -3, pb.Card_CARD_DOG}}
	snapshot := &pb.Snapshot{
		Phase: 42, Hands: []*pb.Gift{hand}, Calls: []*pb.CallMade{{Seat: 900, Call: 42}},
		Turn: proto.Uint32(77), TurnOrder: []uint32{9, 8, 7}, Trick: []pb.Card{201},
	}
	stream.update(&pb.Update{Events: []*pb.Event{{Number: 1}}, Asks: []*pb.Ask{ask}, Snapshot: snapshot})
	stream.answers(playFirst(2))

	choices := []pb.CallKind{77, 78}
	stream.update(&pb.Update{Asks: []*pb.Ask{
		{AskId: 3, Kind: &pb.Ask_Call{Call: &pb.CallAsk{Choices: choices}}},
	}})
	stream.answers(takeDefault(3))
	bot.saysGoodbye(stream)
}

func TestAHandWithoutABombStandsDownOnceARoundInPaceFair(t *testing.T) {
	_, bot, stream := seated(t)
	window := func(ask, round uint32, pace pb.Pace, hand string, stoodDown ...uint32) *pb.PlayRequest {
		held, err := cards.Parse(hand)
		if err != nil {
			t.Fatal(err)
		}
		gift := &pb.Gift{Seat: proto.Uint32(3)}
		for _, card := range held {
			gift.Cards = append(gift.Cards, pb.Card(card))
		}
		update := &pb.Update{
			Asks: []*pb.Ask{{AskId: ask, ForSeat: 3, Kind: &pb.Ask_Bomb{Bomb: &pb.BombAsk{}}}},
			Snapshot: &pb.Snapshot{
				Round: round, Phase: pb.Phase_PHASE_PLAY, Hands: []*pb.Gift{gift}, StoodDown: stoodDown,
			},
		}
		if ask == 1 || pace == pb.Pace_PACE_FAST {
			update.Seating = &pb.Seating{Seat: 3, Pace: pace}
		}
		stream.update(update)
		frame := stream.receive()
		if len(frame.Answers) != 1 || !proto.Equal(frame.Answers[0], decline(ask)) {
			t.Errorf("ask %d: %v", ask, frame.Answers)
		}
		return frame
	}
	const fair, bomb, none = pb.Pace_PACE_FAIR, "7j 7s 7p 7r 8j", "7j 7s 7p 8j"
	for i, want := range []struct {
		frame *pb.PlayRequest
		downs int
	}{
		{window(1, 1, fair, bomb), 0},
		{window(2, 1, fair, none), 1},
		{window(3, 1, fair, none), 0},
		{window(4, 2, fair, none), 1},
		{window(5, 3, fair, none, 3), 0},
		{window(6, 4, pb.Pace_PACE_FAST, none), 0},
	} {
		if len(want.frame.StandDowns) != want.downs {
			t.Errorf("window %d: %v", i+1, want.frame.StandDowns)
		}
		for _, down := range want.frame.StandDowns {
			if down.Match != 1 || down.GetForSeat() != 3 {
				t.Error(down)
			}
		}
	}
	bot.saysGoodbye(stream)
}

func TestAStrategyThatFailsCostsOneDecision(t *testing.T) {
	var said []string
	session := newSession(settings{}, func(format string, values ...any) {
		said = append(said, fmt.Sprintf(format, values...))
	})
	session.decide = func(view strategy.View) strategy.Answer {
		if len(view.Plays) == 0 {
			panic("no plays")
		}
		return strategy.Decide(view)
	}
	empty := &pb.Ask{AskId: 1, Kind: &pb.Ask_Act{Act: &pb.ActAsk{}}}
	update := &pb.Update{Match: 1, Asks: []*pb.Ask{empty, turn(2)}}
	got := session.reply(&pb.PlayResponse{Updates: []*pb.Update{update}})
	if want := (&pb.PlayRequest{Answers: []*pb.Answer{takeDefault(1), playFirst(2)}}); !proto.Equal(got, want) {
		t.Errorf("answered %v, want %v", got, want)
	}
	if len(said) != 1 || !strings.Contains(said[0], "match 1, ask 1: no plays") {
		t.Error(said)
	}
}
