package a2aserver

import (
	"net/http"
	"strings"

	"rialto/a2a"
)

// extensionsKey is the header that names the extensions that a caller of 1.0 asks
// for, and those that it got (A2A 1.0 section 3.2.6), as it stands in a http.Header.
var extensionsKey = http.CanonicalHeaderKey("A2A-Extensions")

// takesOthers has an answer say that c is answered with members that nobody knows
// here, and read with them, or sees to it that it is not: that is for callers who
// ask for it (a2a.OtherMembers).
func takesOthers(w http.ResponseWriter, r *http.Request, c *call) {
	known := c.dialect.Known()
	switch {
	case known == c.dialect:
	case asksForOthers(r):
		w.Header()[extensionsKey] = []string{a2a.OtherMembers}
	default:
		c.dialect = known
	}
}

func asksForOthers(r *http.Request) bool {
	for _, list := range r.Header[extensionsKey] {
		for uri := range strings.SplitSeq(list, ",") {
			if strings.TrimSpace(uri) == a2a.OtherMembers {
				return true
			}
		}
	}
	return false
}
