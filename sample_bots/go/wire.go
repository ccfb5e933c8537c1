package main

import (
	"slices"

	"tichubot/cards"
	"tichubot/internal/pb"
	"tichubot/strategy"
)

// The names that a view has for the numbers of the protocol's enums.
var (
	kindNames = map[pb.PlayKind]string{
		pb.PlayKind_PLAY_KIND_SINGLE:     "single",
		pb.PlayKind_PLAY_KIND_PAIR:       "pair",
		pb.PlayKind_PLAY_KIND_TRIPLE:     "triple",
		pb.PlayKind_PLAY_KIND_FULL_HOUSE: "full_house",
		pb.PlayKind_PLAY_KIND_STRAIGHT:   "straight",
		pb.PlayKind_PLAY_KIND_STAIRS:     "stairs",
		pb.PlayKind_PLAY_KIND_BOMB:       "bomb",
	}
	callNames = map[pb.CallKind]string{
		pb.CallKind_CALL_KIND_TICHU:          "tichu",
		pb.CallKind_CALL_KIND_GRAND:          "grand",
		pb.CallKind_CALL_KIND_NO_GRAND:       "no_grand",
		pb.CallKind_CALL_KIND_GREAT_GRAND:    "great_grand",
		pb.CallKind_CALL_KIND_NO_GREAT_GRAND: "no_great_grand",
		pb.CallKind_CALL_KIND_BID_0:          "bid_0",
		pb.CallKind_CALL_KIND_BID_1:          "bid_1",
		pb.CallKind_CALL_KIND_BID_2:          "bid_2",
		pb.CallKind_CALL_KIND_BID_3:          "bid_3",
		pb.CallKind_CALL_KIND_ACCEPT:         "accept",
		pb.CallKind_CALL_KIND_REFUSE:         "refuse",
	}
	whyNames = map[pb.ChooseSeatReason]string{
		pb.ChooseSeatReason_CHOOSE_SEAT_REASON_DRAGON: "dragon",
		pb.ChooseSeatReason_CHOOSE_SEAT_REASON_DOG:    "dog",
	}
	bets = []pb.CallKind{ // from low to high
		pb.CallKind_CALL_KIND_TICHU, pb.CallKind_CALL_KIND_GRAND, pb.CallKind_CALL_KIND_GREAT_GRAND,
	}
)

// viewOf says what an ask is about in the words of the strategy. What is of a later protocol is
// left out. Without a snapshot the view has only what the ask says.
func viewOf(ask *pb.Ask, snapshot *pb.Snapshot, seating *pb.Seating) strategy.View {
	view := strategy.View{Seat: int(ask.ForSeat)}
	view.Hand = handOf(snapshot, ask.ForSeat)
	view.Counts = ints(snapshot.GetHandCounts())
	view.Calls = callsOf(snapshot)
	_, view.Called = view.Calls[view.Seat]
	seatOthers(&view, snapshot, seating)
	readAsk(&view, ask)
	if !view.Leading { // beside an open window the trick that is about to go is still there
		readTable(&view, snapshot)
	}
	return view
}

// seatOthers tells partners from opponents, in turn order after the hand that decides.
func seatOthers(view *strategy.View, snapshot *pb.Snapshot, seating *pb.Seating) {
	teams := snapshot.GetTeams()
	if len(teams) == 0 {
		teams = seating.GetTeams()
	}
	order := ints(snapshot.GetTurnOrder())
	if len(order) == 0 {
		for seat := range seating.GetNames() {
			order = append(order, seat)
		}
	}
	own := slices.Index(order, view.Seat)
	for _, seat := range slices.Concat(order[own+1:], order[:max(own, 0)]) {
		if max(seat, view.Seat) < len(teams) && teams[seat] == teams[view.Seat] {
			view.Partners = append(view.Partners, seat)
		} else {
			view.Opponents = append(view.Opponents, seat)
		}
	}
}

func readAsk(view *strategy.View, ask *pb.Ask) {
	switch kind := ask.Kind.(type) {
	case *pb.Ask_Call:
		view.Ask = "call"
		view.Choices = choicesOf(kind.Call)
	case *pb.Ask_Exchange:
		view.Ask = "exchange"
		view.MayCallTichu = kind.Exchange.MayCallTichu
		view.Slots = slotsOf(kind.Exchange)
	case *pb.Ask_Act:
		view.Ask = "act"
		view.Plays = playsOf(kind.Act.Plays)
		view.MayPass = kind.Act.MayPass
		view.Leading = kind.Act.Leading
		view.MayCallTichu = kind.Act.MayCallTichu
	case *pb.Ask_Bomb:
		view.Ask = "bomb"
		view.Plays = playsOf(kind.Bomb.Plays)
	case *pb.Ask_ChooseSeat:
		view.Ask = "choose_seat"
		view.Seats = ints(kind.ChooseSeat.Seats)
		view.Why = whyNames[kind.ChooseSeat.Why]
	default:
		view.Ask = "unknown"
	}
}

func readTable(view *strategy.View, snapshot *pb.Snapshot) {
	view.TrickPoints = cardsOf(snapshot.GetTrick()).Points()
	if snapshot.GetTable() == nil {
		return
	}
	table := playOf(snapshot.Table)
	view.Table = &table
	if snapshot.Owner != nil {
		owner := int(*snapshot.Owner)
		view.Owner = &owner
	}
}

func handOf(snapshot *pb.Snapshot, seat uint32) cards.Cards {
	for _, hand := range snapshot.GetHands() {
		if hand.GetSeat() == seat {
			return cardsOf(hand.Cards)
		}
	}
	return nil
}

// callsOf returns the highest bet of each seat that made one.
func callsOf(snapshot *pb.Snapshot) map[int]string {
	highest := map[int]string{}
	for _, bet := range bets {
		for _, made := range snapshot.GetCalls() {
			if made.Call == bet {
				highest[int(made.Seat)] = callNames[bet]
			}
		}
	}
	return highest
}

func choicesOf(ask *pb.CallAsk) (choices []string) {
	for _, choice := range ask.Choices {
		if name, known := callNames[choice]; known {
			choices = append(choices, name)
		}
	}
	return choices
}

func slotsOf(ask *pb.ExchangeAsk) []strategy.Slot {
	slots := make([]strategy.Slot, len(ask.Slots))
	for i, slot := range ask.Slots {
		slots[i] = strategy.Slot{
			ToSeat: int(slot.GetToSeat()),
			Count:  int(slot.Count),
			Forced: slot.ForcedBest || slot.ForcedWorst,
		}
	}
	return slots
}

func playsOf(listed []*pb.Play) []strategy.Play {
	plays := make([]strategy.Play, len(listed))
	for i, play := range listed {
		plays[i] = playOf(play)
	}
	return plays
}

func playOf(play *pb.Play) strategy.Play {
	return strategy.Play{
		Cards:      cardsOf(play.Cards),
		Kind:       kindNames[play.Kind],
		RankHalves: int(play.RankHalves),
	}
}

func cardsOf(numbers []pb.Card) cards.Cards {
	var known cards.Cards
	for _, number := range numbers {
		if card := cards.Card(number); card.Known() {
			known = append(known, card)
		}
	}
	slices.Sort(known)
	return known
}

func ints(numbers []uint32) []int {
	converted := make([]int, len(numbers))
	for i, number := range numbers {
		converted[i] = int(number)
	}
	return converted
}

// answerTo writes a decision for the referee; without match and number of the ask.
func answerTo(ask *pb.Ask, decided strategy.Answer) *pb.Answer {
	switch {
	case decided.Index != nil && ask.GetBomb() != nil:
		choice := &pb.BombAnswer_Index{Index: uint32(*decided.Index)}
		return &pb.Answer{Decision: &pb.Answer_Bomb{Bomb: &pb.BombAnswer{Choice: choice}}}
	case decided.Index != nil:
		return &pb.Answer{Decision: &pb.Answer_Act{Act: actAnswer(decided)}}
	case decided.Pass:
		choice := &pb.ActAnswer_Pass{Pass: &pb.Pass{}}
		return &pb.Answer{Decision: &pb.Answer_Act{Act: &pb.ActAnswer{Choice: choice}}}
	case decided.Decline:
		choice := &pb.BombAnswer_Decline{Decline: &pb.Decline{}}
		return &pb.Answer{Decision: &pb.Answer_Bomb{Bomb: &pb.BombAnswer{Choice: choice}}}
	case decided.Choice != "":
		call := &pb.CallAnswer{Choice: callOf(decided.Choice)}
		return &pb.Answer{Decision: &pb.Answer_Call{Call: call}}
	case decided.Gifts != nil:
		return &pb.Answer{Decision: &pb.Answer_Exchange{Exchange: exchangeAnswer(ask, decided)}}
	case decided.Seat != nil:
		seat := uint32(*decided.Seat)
		chosen := &pb.ChooseSeatAnswer{Seat: &seat}
		return &pb.Answer{Decision: &pb.Answer_ChooseSeat{ChooseSeat: chosen}}
	}
	return &pb.Answer{Decision: &pb.Answer_DefaultAction{DefaultAction: &pb.DefaultAction{}}}
}

func actAnswer(decided strategy.Answer) *pb.ActAnswer {
	choice := &pb.ActAnswer_Index{Index: uint32(*decided.Index)}
	answer := &pb.ActAnswer{Choice: choice, Tichu: decided.Tichu}
	if decided.Wish != 0 {
		wish := uint32(decided.Wish)
		answer.Wish = &wish
	}
	return answer
}

func exchangeAnswer(ask *pb.Ask, decided strategy.Answer) *pb.ExchangeAnswer {
	answer := &pb.ExchangeAnswer{Tichu: decided.Tichu}
	for i, given := range decided.Gifts {
		gift := &pb.Gift{Seat: ask.GetExchange().Slots[i].ToSeat}
		for _, card := range given {
			gift.Cards = append(gift.Cards, pb.Card(card))
		}
		answer.Gifts = append(answer.Gifts, gift)
	}
	return answer
}

func callOf(name string) pb.CallKind {
	for call, known := range callNames {
		if known == name {
			return call
		}
	}
	return pb.CallKind_CALL_KIND_UNSPECIFIED
}
