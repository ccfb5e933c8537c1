package strategy

import "tichubot/cards"

// View is all that a decision is made from: an ask, and what its seat sees. What an ask does not
// have is empty. In JSON it is what the vectors hold.
type View struct {
	Ask          string         `json:"ask"`       // act, bomb, call, exchange, choose_seat or unknown
	Seat         int            `json:"seat"`      // of the hand that decides
	Partners     []int          `json:"partners"`  // in turn order after it, out or not
	Opponents    []int          `json:"opponents"` // the same
	Hand         cards.Cards    `json:"hand"`
	Counts       []int          `json:"counts"` // cards in each hand, by seat
	Plays        []Play         `json:"plays"`  // fewer cards first, then lower ranks
	MayPass      bool           `json:"may_pass"`
	Leading      bool           `json:"leading"` // the table is empty
	MayCallTichu bool           `json:"may_call_tichu"`
	Table        *Play          `json:"table"` // on top of the trick; nil: the table is empty
	Owner        *int           `json:"owner"` // who played it
	TrickPoints  int            `json:"trick_points"`
	Calls        map[int]string `json:"calls"`   // by seat: tichu, grand or great_grand
	Called       bool           `json:"called"`  // this hand has called
	Choices      []string       `json:"choices"` // of a call
	Slots        []Slot         `json:"slots"`   // of an exchange
	Seats        []int          `json:"seats"`   // to choose from
	Why          string         `json:"why"`     // a seat is chosen: dragon or dog
}

// Play is cards played together.
type Play struct {
	Cards      cards.Cards `json:"cards"`
	Kind       string      `json:"kind"` // single, pair, triple, full_house, straight, stairs or bomb
	RankHalves int         `json:"rank_halves"`
}

// Slot is what one seat is owed in an exchange.
type Slot struct {
	ToSeat int  `json:"to_seat"`
	Count  int  `json:"count"`
	Forced bool `json:"forced"` // the rules say which cards
}

// Answer is a decision: one of the first seven, with a play also a wish, with a play or gifts also
// a call.
type Answer struct {
	Index   *int          `json:"index,omitempty"` // place in View.Plays
	Pass    bool          `json:"pass,omitempty"`
	Decline bool          `json:"decline,omitempty"` // no bomb
	Choice  string        `json:"choice,omitempty"`  // one of View.Choices
	Gifts   []cards.Cards `json:"gifts,omitzero"`    // one for each of View.Slots, in their order
	Seat    *int          `json:"seat,omitempty"`    // one of View.Seats
	Default bool          `json:"default,omitempty"` // the referee takes the substitute action

	Wish  int  `json:"wish,omitempty"` // 2 to 14; 0: none
	Tichu bool `json:"tichu,omitempty"`
}
