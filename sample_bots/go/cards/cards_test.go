package cards

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"testing"

	"tichubot/internal/vectors"
)

func decode(t *testing.T, line []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(line, into); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

func TestCardsOfTheVectors(t *testing.T) {
	for _, line := range vectors.Lines(t, "cards.jsonl") {
		var want struct {
			Text   string
			Cards  []Card
			Ranks  []int
			Points int
			Bomb   bool
			Error  bool
		}
		decode(t, line, &want)
		cards, err := Parse(want.Text)
		if (err != nil) != want.Error {
			t.Errorf("%s: error %v", line, err)
		}
		if want.Error {
			continue
		}
		ranks := make([]int, len(cards))
		for i, card := range cards {
			ranks[i] = card.Rank()
			if !card.Known() {
				t.Errorf("%s: %d is not known", line, card)
			}
		}
		if !slices.Equal(cards, want.Cards) || !slices.Equal(ranks, want.Ranks) {
			t.Errorf("%s: cards %v, ranks %v", line, []Card(cards), ranks)
		}
		slices.Reverse(cards)
		if text := Show(cards); text != want.Text {
			t.Errorf("%s: shown as %s", line, text)
		}
		if cards.Points() != want.Points || cards.HoldsBomb() != want.Bomb {
			t.Errorf("%s: points %d, bomb %v", line, cards.Points(), cards.HoldsBomb())
		}
	}
}

func TestShuffleAndCommitmentOfTheVectors(t *testing.T) {
	shuffles, commitments := 0, 0
	for _, line := range vectors.Lines(t, "shuffle.jsonl") {
		var want struct {
			Seed     string
			Cards    []Card
			Order    []Card
			MatchID  string `json:"match_id"`
			DealSeed string `json:"deal_seed"`
			Commit   string
		}
		decode(t, line, &want)
		if want.Commit != "" {
			commitments++
			commit := Commitment(want.MatchID, unhex(t, want.DealSeed))
			if got := hex.EncodeToString(commit[:]); got != want.Commit {
				t.Errorf("%s: commitment %s", line, got)
			}
			continue
		}
		shuffles++
		if got := Shuffle(unhex(t, want.Seed), want.Cards); !slices.Equal(got, want.Order) {
			t.Errorf("%s: order %v", line, []Card(got))
		}
	}
	if shuffles == 0 || commitments == 0 {
		t.Errorf("%d shuffles and %d commitments", shuffles, commitments)
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestWorthOrdersFromDogToDragon(t *testing.T) {
	cards, err := Parse("Dg 2j Ar Mj Ph' Dr")
	if err != nil {
		t.Fatal(err)
	}
	var worths []int
	for _, card := range cards {
		worths = append(worths, card.Worth())
	}
	if !slices.Equal(worths, []int{0, 2, 14, 15, 16, 17}) {
		t.Error(worths)
	}
}

func TestNumbersThatAreNoCards(t *testing.T) {
	for _, card := range []Card{-60, -1, 0, 5, 7, 60, 63, 64, 69, 71, 124, 128, 136, 9999} {
		if card.Known() {
			t.Errorf("%d is known", card)
		}
	}
}
