package a2a

import (
	"slices"
	"strings"
	"sync"
)

// Extensions are the extensions of one call (A2A 1.0 section 4.6): those that its caller declares, and
// those that the agent then activated. It may be used concurrently.
type Extensions struct {
	Declared []string // their URIs

	mu        sync.Mutex
	activated []string
}

// DeclareExtensions returns the extensions that the values of a header declare; nil for none.
func DeclareExtensions(headers []string) *Extensions {
	uris := splitExtensions(headers)
	if len(uris) == 0 {
		return nil
	}
	return &Extensions{Declared: uris}
}

// Declares reports whether the caller declares an extension. Of nil it does not.
func (e *Extensions) Declares(uri string) bool { return e != nil && slices.Contains(e.Declared, uri) }

// Activate notes which extensions the agent says in a header that it has activated.
func (e *Extensions) Activate(headers []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.activated = splitExtensions(headers)
}

// Activated returns the URIs of the extensions that the agent has activated, so far as is known.
func (e *Extensions) Activated() []string {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.activated
}

// splitExtensions returns the URIs in the values of a header, each once.
func splitExtensions(headers []string) (uris []string) {
	for _, header := range headers {
		for uri := range strings.SplitSeq(header, ",") {
			uri = strings.TrimSpace(uri)
			if uri != "" && !slices.Contains(uris, uri) {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}
