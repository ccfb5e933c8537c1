package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSettingsThatCannotBeUsed(t *testing.T) {
	notPEM := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(notPEM, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	const far, near = "192.0.2.1:50051", "[::1]:50051"
	for _, wrong := range []struct {
		server, token, ca string
		args              []string
		says              string
	}{
		{"", "", "", nil, "TICHU_SERVER is not set"},
		{" , ", "", "", nil, "TICHU_SERVER is not set"},
		{"localhost", "", "", nil, "TICHU_SERVER localhost is no address"},
		{near + ",localhost:http", "", "", nil, "TICHU_SERVER localhost:http is no address"},
		{"localhost:0", "", "", nil, "TICHU_SERVER localhost:0 is no address"},
		{"localhost:65536", "", "", nil, "TICHU_SERVER localhost:65536 is no address"},
		{"localhost:", "", "", nil, "TICHU_SERVER localhost: is no address"},
		{"unix:", "", "", nil, "TICHU_SERVER unix: is no address"},
		{near, "sécret", "", nil, "TICHU_TOKEN"},
		{near, "", t.TempDir(), nil, "TICHU_CA_FILE"},
		{near + "," + far, "secret", "", nil, "set TICHU_CA_FILE for TLS, or say --plaintext"},
		{"127.0.0.1.example:50051", "secret", "", nil, "is not on this machine"},
		{near, "secret\n", "", nil, "TICHU_TOKEN"},
		{near, "", "/nowhere/ca.pem", nil, "TICHU_CA_FILE cannot be read"},
		{near, "", notPEM, nil, "no certificate"},
		{near, "", "", []string{"--matches", "0"}, "--matches 0: a number from 1 to 512"},
		{near, "", "", []string{"--matches", "513"}, "--matches 513"},
		{near, "", "", []string{"--give-up", "soon"}, "--give-up SECONDS"},
		{near, "", "", []string{"--faster"}, "--plaintext"},
		{near, "", "", []string{"more"}, `"more" is no flag`},
	} {
		bot := start(t, map[string]string{
			"TICHU_SERVER": wrong.server, "TICHU_TOKEN": wrong.token, "TICHU_CA_FILE": wrong.ca,
		}, wrong.args...)
		bot.exits(exitSettings, wrong.says)
		if text := bot.stderr.String(); strings.Count(text, "\n") != 1 || strings.Contains(text, "secret") {
			t.Errorf("stderr: %q", text)
		}
	}
}

func TestHelpIsPrinted(t *testing.T) {
	bot := start(t, nil, "--help")
	bot.exits(exitDone, "")
	if bot.stdout.String() != usage {
		t.Error(bot.stdout.String())
	}
}

func TestPausesGrowAndBeginAnewBehindAGoodLink(t *testing.T) {
	route := newRoute([]string{"a:1", "b:1"})
	var pauses []time.Duration
	for range 14 {
		route.next()
		pauses = append(pauses, route.failed(0))
	}
	const ms = time.Millisecond
	want := []time.Duration{
		0, 100 * ms, 0, 200 * ms, 0, 400 * ms, 0, 800 * ms, 0, 1600 * ms, 0, 2000 * ms, 0, 2000 * ms,
	}
	if fmt.Sprint(pauses) != fmt.Sprint(want) {
		t.Error(pauses)
	}
	route.next()
	route.welcomed("a:1")
	if pause := route.failed(goodLink); pause != firstPause {
		t.Error(pause)
	}
}
