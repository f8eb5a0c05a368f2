package a2atest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Script returns the peer that a transcript describes, and the section "do" of it. The section
// "card" is the peer's card, in the place of card. Each section with the name of a method, or of an
// HTTP method and a path, is an answer to it: "STATUS TYPE [cut|hold]", header lines, an empty
// line, the body. The section "want" is left out.
func Script(tb testing.TB, archive *txtar.Archive, card string) (rogue *Rogue, do string) {
	tb.Helper()
	rogue = &Rogue{Card: card, Answers: map[string][]Answer{}}
	for _, f := range archive.Files {
		switch f.Name {
		case "do":
			do = string(f.Data)
		case "want":
		case "card":
			rogue.Card = string(f.Data)
		default:
			rogue.Answers[f.Name] = append(rogue.Answers[f.Name], scripted(tb, string(f.Data)))
		}
	}
	return rogue, do
}

// scripted reads an answer of a transcript.
func scripted(tb testing.TB, section string) Answer {
	tb.Helper()
	head, body, _ := strings.Cut(section, "\n\n")
	lines := strings.Split(head, "\n")
	words := strings.Fields(lines[0])
	if len(words) < 2 {
		tb.Fatalf("%q is no status and type", lines[0])
	}
	status, err := strconv.Atoi(words[0])
	if err != nil {
		tb.Fatal(err)
	}
	a := Answer{
		Status: status,
		Header: http.Header{"Content-Type": {words[1]}},
		Body:   body,
		Cut:    slices.Contains(words, "cut"),
		Hold:   slices.Contains(words, "hold"),
	}
	for _, line := range lines[1:] {
		k, v, _ := strings.Cut(line, ": ")
		a.Header.Add(k, v)
	}
	return a
}
