package sanitize

import (
	"net/url"
	"strings"
)

// FirstLink returns the first https address in a text.
func FirstLink(text string) string {
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, "<>()[]\"'.,;")
		if u, err := url.Parse(word); err == nil && u.Scheme == "https" && u.Host != "" {
			return word
		}
	}
	return ""
}
