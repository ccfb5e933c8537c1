// Package cards knows the cards: numbers and text, ranks and points, the bombs of a hand, the
// shuffle of a seed and its commitment.
package cards

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Card is the number of a card in the protocol's enum Card: 4 * rank + suit, below them the four
// special cards; a second pack has the same numbers plus 64.
type Card int

// The special cards of the first pack.
const (
	Dog     Card = 1
	Phoenix Card = 2
	Dragon  Card = 3
	MahJong Card = 4
)

// Lowest and highest rank of a card that is not special.
const (
	Two = 2
	Ace = 14
)

const (
	pack  = 64
	ranks = "23456789TJQKA"
	suits = "jspr"
)

var specials = map[Card]string{Dog: "Dg", Phoenix: "Ph", Dragon: "Dr", MahJong: "Mj"}

var numbers = numbersByText()

func numbersByText() map[string]Card {
	byText := map[string]Card{}
	for card := range Card(2 * pack) {
		if card.Known() {
			byText[card.String()] = card
		}
	}
	return byText
}

// Known tells whether there is a card of that number: an enum may grow.
func (c Card) Known() bool {
	first := c.FirstPack()
	return c >= 0 && c < 2*pack && (specials[first] != "" || Two <= first/4 && first/4 <= Ace)
}

// FirstPack returns the same card of the first pack.
func (c Card) FirstPack() Card { return c % pack }

func (c Card) String() string {
	first := c.FirstPack()
	text, special := specials[first]
	if !special {
		text = string([]byte{ranks[first/4-Two], suits[first%4]})
	}
	if c >= pack {
		text += "'"
	}
	return text
}

// Rank returns 2 to 14, 1 for the Mah Jong and 0 for the other special cards.
func (c Card) Rank() int { return int(c.FirstPack() / 4) }

// Points returns what the card counts in a trick.
func (c Card) Points() int {
	switch c.FirstPack() {
	case Dragon:
		return 25
	case Phoenix:
		return -25
	}
	switch c.Rank() {
	case 5:
		return 5
	case 10, 13:
		return 10
	}
	return 0
}

// Worth returns a number to sort by from bad to good: 2 to 14 the rank, Dog 0, Mah Jong 15,
// Phoenix 16, Dragon 17.
func (c Card) Worth() int {
	switch c.FirstPack() {
	case MahJong:
		return 15
	case Phoenix:
		return 16
	case Dragon:
		return 17
	}
	return c.Rank()
}

// Cards is any number of cards. As text, in JSON too, they stand ascending: "Mj 2j Ph'".
type Cards []Card

// Parse reads cards with spaces between them.
func Parse(text string) (Cards, error) {
	var cards Cards
	for _, word := range strings.Fields(text) {
		card, ok := numbers[word]
		if !ok {
			return nil, fmt.Errorf("%q is no card", word)
		}
		cards = append(cards, card)
	}
	return cards, nil
}

// Show writes cards, ascending by number.
func Show(cards Cards) string {
	words := make([]string, len(cards))
	for i, card := range slices.Sorted(slices.Values(cards)) {
		words[i] = card.String()
	}
	return strings.Join(words, " ")
}

// MarshalText is Show.
func (c Cards) MarshalText() ([]byte, error) { return []byte(Show(c)), nil }

// UnmarshalText is Parse.
func (c *Cards) UnmarshalText(text []byte) (err error) {
	*c, err = Parse(string(text))
	return err
}

// Points returns what the cards count together.
func (c Cards) Points() int {
	sum := 0
	for _, card := range c {
		sum += card.Points()
	}
	return sum
}

// Count returns how many cards of a rank there are, of both packs together.
func (c Cards) Count(rank int) int {
	count := 0
	for _, card := range c {
		if card.Rank() == rank {
			count++
		}
	}
	return count
}

// Holds tells whether a card is among them, of either pack.
func (c Cards) Holds(card Card) bool {
	return slices.ContainsFunc(c, func(held Card) bool { return held.FirstPack() == card })
}

// HoldsBomb tells whether the hand has four of a rank in four suits, or five consecutive ranks of
// one suit. The Phoenix and the Mah Jong are in no bomb.
func (c Cards) HoldsBomb() bool {
	const length = 5
	run := [len(suits)]int{} // by suit: consecutive ranks up to the one at hand
	for rank := Two; rank <= Ace; rank++ {
		held := 0
		for suit := range run {
			if !c.Holds(Card(4*rank + suit)) {
				run[suit] = 0
				continue
			}
			held++
			run[suit]++
			if run[suit] == length {
				return true
			}
		}
		if held == len(suits) {
			return true
		}
	}
	return false
}

// Shuffle returns the cards in the order in which a seed deals them.
func Shuffle(seed []byte, cards Cards) Cards {
	order := slices.Sorted(slices.Values(cards))
	words := stream{seed: seed}
	for i := len(order) - 1; i > 0; i-- {
		j := words.below(uint32(i + 1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// stream draws numbers from a seed: block i is SHA-256(seed, i), eight words each.
type stream struct {
	seed   []byte
	blocks uint64
	words  []byte
}

func (s *stream) next() uint32 {
	if len(s.words) == 0 {
		block := sha256.Sum256(binary.BigEndian.AppendUint64(slices.Clone(s.seed), s.blocks))
		s.words = block[:]
		s.blocks++
	}
	word := binary.BigEndian.Uint32(s.words)
	s.words = s.words[4:]
	return word
}

// below returns a number from 0 to n-1, each as likely: words over the last multiple of n do not
// count.
func (s *stream) below(n uint32) uint32 {
	limit := uint64(n) * ((math.MaxUint32 + 1) / uint64(n))
	for {
		if word := s.next(); uint64(word) < limit {
			return word % n
		}
	}
}

// Commitment returns what a referee publishes before the first card of a deal.
func Commitment(matchID string, seed []byte) [sha256.Size]byte {
	return sha256.Sum256(slices.Concat([]byte("tichu-commit"), []byte(matchID), seed))
}
