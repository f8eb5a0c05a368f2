// Package term writes for people at a terminal: colors, tables, Markdown, progress and questions.
// It writes no escape sequences where no terminal is, or where NO_COLOR or TERM=dumb forbids them.
package term

import (
	"cmp"
	"os"
	"regexp"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Is tells whether a reader or writer is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Style writes for a terminal: in color, in its width, and in the time of its user. The zero Style is
// for files and programs.
type Style struct {
	color   bool
	columns int // 0 where no terminal is
}

// usualColumns is the width of a terminal that does not say how wide it is.
const usualColumns = 80

// StyleOf returns the style for a writer (https://no-color.org).
func StyleOf(w any) Style {
	if !Is(w) {
		return Style{}
	}

	columns, _, _ := term.GetSize(int(w.(*os.File).Fd()))
	return Style{
		color:   os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		columns: cmp.Or(columns, usualColumns),
	}
}

// Terminal tells whether this is the style of a terminal.
func (s Style) Terminal() bool { return s.columns > 0 }

// Time formats a time: for a terminal in local time, as ls does, and else in UTC. It is "" for the
// zero time.
func (s Style) Time(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case s.columns == 0:
		return t.UTC().Format("2006-01-02 15:04Z")
	case t.Local().Year() == time.Now().Year():
		return t.Local().Format("Jan _2 15:04")
	}
	return t.Local().Format("Jan _2  2006")
}

func (s Style) paint(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold is for headings.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim is for what matters less.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Italic is for emphasis.
func (s Style) Italic(text string) string { return s.paint("3", text) }

// Code is for literals.
func (s Style) Code(text string) string { return s.paint("36", text) }

// colors of words that say how things stand.
var colors = map[string]string{
	"completed": "32", "ok": "32", "live": "32", "enabled": "32",
	"submitted": "34", "working": "34",
	"input-required": "33", "auth-required": "33", "denied": "33", "expired": "33",
	"failed": "31", "rejected": "31", "revoked": "31", "disabled": "31",
	"canceled": "2", "skipped": "2",
}

// State colors a word that says how something stands; other words stay as they are.
func (s Style) State(word string) string { return s.As(word, word) }

// As colors a text as State colors a word.
func (s Style) As(word, text string) string {
	if code, ok := colors[word]; ok {
		return s.paint(code, text)
	}
	return text
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// plain returns a text without colors.
func plain(s string) string { return escape.ReplaceAllString(s, "") }

// width returns how many columns a text takes.
func width(s string) int { return utf8.RuneCountInString(plain(s)) }
