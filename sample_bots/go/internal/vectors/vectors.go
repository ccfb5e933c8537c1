// Package vectors finds the vectors that the tests run.
package vectors

import (
	"bufio"
	"os"
	"path/filepath"
	"testing"
)

// Lines returns the lines of a file of vectors. A copy in the bot's folder is preferred to that of
// the repository.
func Lines(t *testing.T, name string) [][]byte {
	t.Helper()
	folder := botFolder(t)
	for _, path := range []string{
		filepath.Join(folder, "vectors", name),
		filepath.Join(folder, "..", "..", "tests", "vectors", name),
	} {
		if file, err := os.Open(path); err == nil {
			defer file.Close()
			return read(t, file)
		}
	}
	t.Fatalf("no %s in ./vectors or ../../tests/vectors", name)
	return nil
}

// botFolder looks upward: a test runs in the folder of its package.
func botFolder(t *testing.T) string {
	folder := "."
	for range 5 {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		folder = filepath.Join(folder, "..")
	}
	t.Fatal("no go.mod above the test")
	return ""
}

func read(t *testing.T, file *os.File) (lines [][]byte) {
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		lines = append(lines, append([]byte(nil), scanner.Bytes()...))
	}
	if err := scanner.Err(); err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", file.Name(), len(lines), err)
	}
	return lines
}
