// Package strategy decides. It is pure: a view goes in, an answer comes out; no gRPC, no memory,
// clock or chance. The rules in plain words stand in sample_bots/README.md; the other languages have
// the same ones in the same order, and all give the same answer to the same view.
package strategy

import (
	"slices"

	"tichubot/cards"
)

const (
	strongBet   = 12 // from which on a Grand is called on the first cards
	strongTichu = 11 // and a Tichu with a whole hand
	richTrick   = 20 // points that are worth a bomb
	poorTrick   = 10 // fewer are not worth a dear card
	dear        = 28 // half ranks: an ace, and all that is higher
	lowTable    = 16 // half ranks: on more a partner's play stays
	cheap       = 22 // half ranks: the most that goes on a partner's play
)

const bombKind = "bomb"

// none is no place in the list of plays.
const none = -1

// Decide answers any view; one of a kind that is not known gets the substitute action.
func Decide(view View) Answer {
	switch view.Ask {
	case "call":
		return decideCall(view)
	case "exchange":
		return decideExchange(view)
	case "choose_seat":
		return decideSeat(view)
	case "bomb":
		return decideBomb(view)
	case "act":
		return decideAct(view)
	}
	return Answer{Default: true}
}

// Calls

// decideCall lets calls of others stand, and bets on a strong hand.
func decideCall(view View) Answer {
	offered := func(choice string) bool { return slices.Contains(view.Choices, choice) }
	strong := highCards(view.Hand) >= strongBet
	switch {
	case offered("accept"):
		return Answer{Choice: "accept"}
	case offered("grand") && strong:
		return Answer{Choice: "grand"}
	case offered("grand"):
		return Answer{Choice: "no_grand"}
	case offered("bid_3") && strong:
		return Answer{Choice: "bid_3"}
	case offered("bid_3"):
		return Answer{Choice: "bid_0"}
	case offered("great_grand"):
		return Answer{Choice: "no_great_grand"}
	}
	return Answer{Default: true}
}

// highCards returns 4 for each Dragon and Phoenix and 2 for each ace.
func highCards(hand cards.Cards) int {
	sum := 2 * hand.Count(cards.Ace)
	for _, card := range hand {
		if first := card.FirstPack(); first == cards.Dragon || first == cards.Phoenix {
			sum += 4
		}
	}
	return sum
}

// Exchange

// decideExchange gives partners the best ranked cards, everybody else the lowest.
func decideExchange(view View) Answer {
	owed := 0
	for _, slot := range view.Slots {
		if slot.Forced {
			return Answer{Default: true}
		}
		owed += slot.Count
	}
	if owed > len(view.Hand) {
		return Answer{Default: true}
	}
	rest := slices.SortedFunc(slices.Values(view.Hand), byWorth)
	gifts := make([]cards.Cards, len(view.Slots))
	for i, slot := range view.Slots {
		toPartner := slices.Contains(view.Partners, slot.ToSeat)
		for range slot.Count {
			place := 0
			if toPartner {
				place = bestRanked(rest)
			}
			gifts[i] = append(gifts[i], rest[place])
			rest = slices.Delete(rest, place, place+1)
		}
	}
	return Answer{Gifts: gifts}
}

func byWorth(a, b cards.Card) int {
	if a.Worth() != b.Worth() {
		return a.Worth() - b.Worth()
	}
	return int(a - b)
}

// bestRanked finds the best card that is no special one, or the lowest card, in a sorted hand.
func bestRanked(rest cards.Cards) int {
	for place := len(rest) - 1; place > 0; place-- {
		if rest[place].Worth() <= cards.Ace {
			return place
		}
	}
	return 0
}

// Who gets the Dragon's trick, or the lead

// decideSeat names the seat with the most cards, of equal ones the first.
func decideSeat(view View) Answer {
	if len(view.Seats) == 0 {
		return Answer{Default: true}
	}
	most := view.Seats[0]
	for _, seat := range view.Seats {
		if view.count(seat) > view.count(most) {
			most = seat
		}
	}
	return Answer{Seat: &most}
}

// Bombs

// decideBomb throws the first bomb out of turn where that is worth it.
func decideBomb(view View) Answer {
	bomb := firstBomb(view)
	if bomb == none || !worthABomb(view, view.Plays[bomb]) {
		return Answer{Decline: true}
	}
	return Answer{Index: &bomb}
}

// firstBomb returns the place of the first bomb listed.
func firstBomb(view View) int {
	return slices.IndexFunc(view.Plays, isBomb)
}

// worthABomb tells whether it empties the hand, or takes something from an opponent.
func worthABomb(view View, bomb Play) bool {
	if empties(view, bomb) {
		return true
	}
	if view.Owner == nil || !slices.Contains(view.Opponents, *view.Owner) {
		return false
	}
	left := view.count(*view.Owner)
	_, called := view.Calls[*view.Owner]
	return view.TrickPoints >= richTrick || left <= 2 || called && left <= 6
}

// empties tells whether no card is left after the play.
func empties(view View, play Play) bool {
	return len(play.Cards) == len(view.Hand)
}

// A turn

// decideAct plays or passes.
func decideAct(view View) Answer {
	if len(view.Plays) == 0 {
		return Answer{Pass: view.MayPass, Default: !view.MayPass}
	}
	place := lastPlay(view)
	if place == none && view.Leading {
		place = lead(view)
	} else if place == none {
		place = follow(view)
	}
	if place == none {
		return Answer{Pass: true}
	}
	return withPlay(view, place)
}

// lastPlay returns the first play that empties the hand, a bomb only if nothing else does.
func lastPlay(view View) int {
	for place, play := range view.Plays {
		if empties(view, play) && !isBomb(play) {
			return place
		}
	}
	return slices.IndexFunc(view.Plays, func(play Play) bool { return empties(view, play) })
}

// lead returns the place of the Dog, if a partner can use the lead, else of the cheapest play.
func lead(view View) int {
	canUseIt := func(partner int) bool { return view.count(partner) > 0 }
	if !view.Called && slices.ContainsFunc(view.Partners, canUseIt) {
		dog := slices.IndexFunc(view.Plays, func(play Play) bool { return isAlone(play, cards.Dog) })
		if dog != none {
			return dog
		}
	}
	if place := cheapest(view, costToLead, isNoBomb); place != none {
		return place
	}
	return cheapest(view, costToLead, isBomb)
}

// costToLead returns what it costs to lead the play: low and many cards cost least.
func costToLead(view View, play Play) int {
	cost := play.RankHalves - 6*(len(play.Cards)-1) + 5*leftOf(view, play)
	if len(play.Cards) > 1 {
		if play.Cards.Holds(cards.Phoenix) {
			cost += 24
		}
		return cost
	}
	if isAlone(play, cards.Phoenix, cards.Dragon, cards.Dog) {
		cost += 40
	}
	hasOne := func(opponent int) bool { return view.count(opponent) == 1 }
	if slices.ContainsFunc(view.Opponents, hasOne) {
		cost += 60 - 2*play.RankHalves // whoever has one card waits for a low single
	}
	return cost
}

// follow returns the place of what goes on the table; none: pass.
func follow(view View) int {
	bomb := firstBomb(view)
	bombs := bomb != none && worthABomb(view, view.Plays[bomb])
	place := cheapest(view, costToFollow, isNoBomb)
	if place == none {
		if bombs || !view.MayPass {
			return bomb
		}
		return none
	}
	best := view.Plays[place]
	if view.MayPass && (leavesToPartner(view, best) || saves(view, best)) {
		return none
	}
	if view.MayPass && bombs && best.RankHalves < dear {
		return bomb
	}
	return place
}

// costToFollow returns what it costs to play on the table: low cards that leave nothing torn cost
// least.
func costToFollow(view View, play Play) int {
	cost := play.RankHalves + 5*leftOf(view, play)
	if len(play.Cards) > 1 && play.Cards.Holds(cards.Phoenix) {
		cost += 20
	}
	return cost
}

// leavesToPartner tells whether a partner's play stays: only a cheap one goes on a low one.
func leavesToPartner(view View, best Play) bool {
	if view.Table == nil || view.Owner == nil || !slices.Contains(view.Partners, *view.Owner) {
		return false
	}
	isCheap := best.RankHalves <= cheap && !isAlone(best, cards.Phoenix, cards.Dragon)
	return view.Table.RankHalves > lowTable || !isCheap || isDanger(view)
}

// saves tells whether the best play is too dear for this trick, and waits.
func saves(view View, best Play) bool {
	isDear := best.RankHalves >= dear || best.Cards.Holds(cards.Phoenix)
	waits := view.TrickPoints < poorTrick && len(view.Hand) > 6
	return isDear && waits && !view.Called && !isDanger(view)
}

// isDanger tells whether some opponent has only one or two cards.
func isDanger(view View) bool {
	return slices.ContainsFunc(view.Opponents, func(opponent int) bool {
		return view.count(opponent) == 1 || view.count(opponent) == 2
	})
}

// withPlay returns the answer that plays, with the wish and the Tichu that go with it.
func withPlay(view View, place int) Answer {
	answer := Answer{Index: &place, Tichu: callsTichu(view)}
	if view.Plays[place].Cards.Holds(cards.MahJong) {
		answer.Wish = rankToWishFor(view.Hand)
	}
	return answer
}

// rankToWishFor is the highest rank of which the hand has no card: somebody else must play it.
func rankToWishFor(hand cards.Cards) int {
	for rank := cards.Ace; rank > cards.Two; rank-- {
		if hand.Count(rank) == 0 {
			return rank
		}
	}
	return cards.Two
}

// callsTichu tells whether the hand is strong enough for a Tichu that nobody else of the team
// called.
func callsTichu(view View) bool {
	if !view.MayCallTichu || view.Called {
		return false
	}
	for _, partner := range view.Partners {
		if _, called := view.Calls[partner]; called {
			return false
		}
	}
	return strength(view.Hand) >= strongTichu
}

// strength counts high cards and bombs, and the low cards that are alone of their rank against
// them.
func strength(hand cards.Cards) int {
	sum := highCards(hand)
	for rank := cards.Two; rank <= cards.Ace; rank++ {
		count := hand.Count(rank)
		if count >= 4 {
			sum += 4
		}
		if count == 1 && rank <= 9 {
			sum--
		}
	}
	return sum
}

// Plays

// cheapest returns the place of the play of least cost, the first of equal ones.
func cheapest(view View, cost func(View, Play) int, counts func(Play) bool) int {
	best := none
	for place, play := range view.Plays {
		if !counts(play) {
			continue
		}
		if best == none || cost(view, play) < cost(view, view.Plays[best]) {
			best = place
		}
	}
	return best
}

func isBomb(play Play) bool { return play.Kind == bombKind }

func isNoBomb(play Play) bool { return !isBomb(play) }

// leftOf returns how many cards stay in the hand of the ranks that the play takes from.
func leftOf(view View, play Play) int {
	left := 0
	for rank := cards.Two; rank <= cards.Ace; rank++ {
		if played := play.Cards.Count(rank); played > 0 {
			left += view.Hand.Count(rank) - played
		}
	}
	return left
}

// isAlone tells whether the play is one of these special cards alone.
func isAlone(play Play, specials ...cards.Card) bool {
	return len(play.Cards) == 1 && slices.Contains(specials, play.Cards[0].FirstPack())
}

// count returns how many cards a seat has.
func (v View) count(seat int) int {
	if seat < 0 || seat >= len(v.Counts) {
		return 0
	}
	return v.Counts[seat]
}
