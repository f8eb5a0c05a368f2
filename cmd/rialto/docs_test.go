package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinksBetweenDocumentsLead follows every link of the documents to a file of
// ours, and every heading that it names.
func TestLinksBetweenDocumentsLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	checked := 0
	for _, file := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(unfenced(t, file), -1) {
			path, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			checked++
			target := filepath.Join(filepath.Dir(file), path)
			if path == "" {
				target = file
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", file, m[1])
			} else if heading != "" && !hasHeading(t, target, heading) {
				t.Errorf("%s: %s has no such heading", file, m[1])
			}
		}
	}
	if checked < 30 {
		t.Errorf("found %d links, which is too few to be all", checked)
	}
}

// TestSpanishGuidesHaveWhatTheEnglishHave holds each guide that is there in both
// languages to the same headings, tables and blocks.
func TestSpanishGuidesHaveWhatTheEnglishHave(t *testing.T) {
	shape := regexp.MustCompile("(?m)^(#+ |```[a-z]*$|\\| |- |[0-9]+\\. )")
	for _, file := range documents(t) {
		english, ok := strings.CutSuffix(file, ".es.md")
		if !ok || strings.Contains(file, "connect") {
			continue
		}
		want, got := shape.FindAllString(read(t, english+".md"), -1), shape.FindAllString(read(t, file), -1)
		if strings.Join(got, "") != strings.Join(want, "") {
			t.Errorf("%s has another shape than the English guide:\n got %q\nwant %q", file, got, want)
		}
	}
}

// documents returns the Markdown files that people are meant to read.
func documents(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir("../../docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(files, "../../README.md")
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// unfenced returns a document without its blocks of code.
func unfenced(t *testing.T, file string) string {
	return regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(read(t, file), "")
}

// hasHeading tells whether a document has a heading with an anchor.
func hasHeading(t *testing.T, file, anchor string) bool {
	drop := regexp.MustCompile(`[^\p{L}\p{N}\- ]`)
	for line := range strings.Lines(unfenced(t, file)) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if ok && strings.HasPrefix(line, "#") &&
			strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}
