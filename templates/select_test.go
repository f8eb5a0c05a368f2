package templates_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// node is an element that can be asked for others by selector. It knows as
// much of CSS as these tests need: lists, descendants, and steps made of a
// tag, #id, .class and [attribute=value].
type node struct{ *html.Node }

func (n node) all(selector string) []node {
	var found []node
	for d := range n.Descendants() {
		if d.Type != html.ElementNode {
			continue
		}
		for alternative := range strings.SplitSeq(selector, ",") {
			if matches(d, strings.Fields(alternative)) {
				found = append(found, node{d})
				break
			}
		}
	}
	return found
}

func (n node) one(t *testing.T, selector string) node {
	t.Helper()
	found := n.all(selector)
	if len(found) != 1 {
		t.Fatalf("got %d of %s, want one", len(found), selector)
	}
	return found[0]
}

func (n node) attr(name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (n node) has(name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func (n node) text() string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// matches reports whether d is what the last step says, inside what the steps
// before it say.
func matches(d *html.Node, steps []string) bool {
	last := len(steps) - 1
	if !step(node{d}, steps[last]) {
		return false
	}
	if last == 0 {
		return true
	}
	for parent := range d.Ancestors() {
		if parent.Type == html.ElementNode && matches(parent, steps[:last]) {
			return true
		}
	}
	return false
}

func step(n node, s string) bool {
	s, attribute, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	if name, value, exact := strings.Cut(attribute, "="); attribute != "" && (!n.has(name) || exact && n.attr(name) != value) {
		return false
	}
	if tag, class, ok := strings.Cut(s, "."); ok {
		return (tag == "" || n.Data == tag) && slices.Contains(strings.Fields(n.attr("class")), class)
	}
	if tag, id, ok := strings.Cut(s, "#"); ok {
		return (tag == "" || n.Data == tag) && n.attr("id") == id
	}
	return s == "" || s == "*" || n.Data == s
}
