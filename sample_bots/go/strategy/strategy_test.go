package strategy

import (
	"encoding/json"
	"reflect"
	"testing"

	"tichubot/internal/vectors"
)

func TestViewsOfTheVectors(t *testing.T) {
	for _, line := range vectors.Lines(t, "views.jsonl") {
		var vector struct {
			ID     string
			Title  string
			View   View
			Answer any
		}
		if err := json.Unmarshal(line, &vector); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := asJSON(t, Decide(vector.View)); !reflect.DeepEqual(got, vector.Answer) {
			t.Errorf("%s, %s: answered %v, want %v", vector.ID, vector.Title, got, vector.Answer)
		}
	}
}

// asJSON gives the whole answer in the form of the vectors: nothing more is in it, nothing less.
func asJSON(t *testing.T, answer Answer) (value any) {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestAnyViewGetsOneAnswer(t *testing.T) {
	zero := 0
	for _, ask := range []string{"act", "bomb", "call", "exchange", "choose_seat", "unknown", ""} {
		for _, view := range []View{
			{Ask: ask},
			{Ask: ask, Owner: &zero, Plays: []Play{{}, {Kind: bombKind}}, MayPass: true},
			{Ask: ask, Seats: []int{99, -1}, Slots: []Slot{{ToSeat: 7, Count: 1}}, Seat: 50},
			{Ask: ask, Choices: []string{"", "of the future"}, Plays: []Play{{Kind: "of the future"}}},
		} {
			answer := Decide(view)
			said := 0
			for _, is := range []bool{
				answer.Index != nil, answer.Pass, answer.Decline, answer.Choice != "",
				answer.Gifts != nil, answer.Seat != nil, answer.Default,
			} {
				if is {
					said++
				}
			}
			if said != 1 {
				t.Errorf("%+v: %+v", view, answer)
			}
		}
	}
}
