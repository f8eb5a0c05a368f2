package a2a

import (
	"context"
	"slices"
	"strings"
)

// Card is how an agent introduces itself (A2A 1.0 section 4.4.1).
type Card struct {
	Name             string
	Description      string
	Version          string // the agent's, not the protocol's
	DocumentationURL string
	IconURL          string
	Provider         *Provider

	// Interfaces are the ways to reach the agent, the preferred first.
	Interfaces []Interface

	Capabilities       Capabilities
	DefaultInputModes  []string // media types
	DefaultOutputModes []string // media types
	Skills             []Skill

	// SecuritySchemes are the ways to authenticate, by name. Security lists
	// what a call must satisfy: any one of them.
	SecuritySchemes map[string]SecurityScheme
	Security        []SecurityRequirement
}

// Extender is an Agent that tells more of itself to those who may call it (A2A 1.0 section 3.1.11).
// It is found by type assertion; an agent that only learns by asking that it has no such card
// answers ExtendedCardMissing or UnsupportedOperation.
type Extender interface {
	ExtendedCard(context.Context) (*Card, error)
}

// Provider is who runs an agent.
type Provider struct {
	Organization string
	URL          string
}

// Interface is one way to reach an agent.
type Interface struct {
	URL     string
	Binding Binding
	Version Generation
	Tenant  string // opaque; copied into requests (A2A 1.0.1)
}

// Binding is how calls travel.
type Binding string

// The bindings that A2A 0.3 and 1.0 define.
const (
	JSONRPC  Binding = "JSONRPC"
	HTTPJSON Binding = "HTTP+JSON"
	GRPC     Binding = "GRPC"
)

// Generation is a protocol version, "Major.Minor".
type Generation string

// The generations that differ on the wire.
const (
	V01 Generation = "0.1"
	V02 Generation = "0.2"
	V03 Generation = "0.3"
	V10 Generation = "1.0"
)

// Capabilities tell what an agent offers beyond request and answer.
type Capabilities struct {
	Streaming         bool
	PushNotifications bool
	ExtendedAgentCard bool
	Extensions        []Extension
}

// RequiredExtensions returns the URIs of the extensions that every caller must declare.
func (c *Card) RequiredExtensions() (uris []string) {
	for _, e := range c.Capabilities.Extensions {
		if e.Required {
			uris = append(uris, e.URI)
		}
	}
	return uris
}

// Extension names an addition to the protocol (A2A 1.0 section 4.6).
type Extension struct {
	URI         string
	Description string
	Required    bool
	Params      Metadata
}

// Skill is one thing an agent can do.
type Skill struct {
	ID          string
	Name        string
	Description string
	Tags        []string
	Examples    []string
	InputModes  []string
	OutputModes []string
}

// Skill returns the skill named id, if the agent has it.
func (c *Card) Skill(id string) (Skill, bool) {
	for _, s := range c.Skills {
		if s.ID == id {
			return s, true
		}
	}
	return Skill{}, false
}

// InputModesOf returns the media types that a skill takes: its own or, if it names none, those of the
// agent.
func (c *Card) InputModesOf(skill string) []string {
	if s, ok := c.Skill(skill); ok && len(s.InputModes) > 0 {
		return s.InputModes
	}
	return c.DefaultInputModes
}

// AcceptsType reports whether a file of a media type fits input modes. Modes may be wildcards, or the
// words "text" and "file" of early cards. A file whose type is not known fits, and so does any file where
// there are no modes.
func AcceptsType(modes []string, mediaType string) bool {
	bare := func(s string) string {
		s, _, _ = strings.Cut(s, ";")
		return strings.ToLower(strings.TrimSpace(s))
	}
	is := bare(mediaType)
	if len(modes) == 0 || is == "" || is == "application/octet-stream" {
		return true
	}

	top, _, _ := strings.Cut(is, "/")
	return slices.ContainsFunc(modes, func(mode string) bool {
		mode = bare(mode)
		switch mode {
		case is, top + "/*", "*/*", "*", "file", "application/octet-stream":
			return true
		}
		return mode == "text" && top == "text"
	})
}
