package directory

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rialto/a2a"
)

// Settings is an agent as an operator sets it up. Its members in JSON are named
// like the keys of the configuration.
type Settings struct {
	Name        string         `json:"name"`
	URL         string         `json:"url"`
	Protocol    a2a.Generation `json:"protocol,omitempty"` // "" finds out
	Binding     a2a.Binding    `json:"binding,omitempty"`  // "" is any that its card offers
	Credentials Credentials    `json:"credentials,omitzero"`

	// UseCases are those whose callers may know of the agent; none means all.
	UseCases []string `json:"use_cases,omitempty"`

	// Skills says it of single skills.
	Skills []SkillRule `json:"skills,omitempty"`

	// SkillsAsTools makes an MCP tool of each skill.
	SkillsAsTools bool `json:"skills_as_tools,omitempty"`

	// Retention is how long its settled tasks are kept; 0 is as long as others'.
	Retention Duration `json:"retention,omitzero"`

	// Card says whose signature a card must have.
	Card CardKeys `json:"card,omitzero"`

	// Review keeps a changed card out of force until an operator accepts it.
	Review bool `json:"review,omitempty"`
}

// Skill is what is to be known of one skill of an agent.
type SkillRule struct {
	ID       string   `json:"id" koanf:"id"`
	UseCases []string `json:"use_cases,omitempty" koanf:"use_cases"`
}

// CardKeys says how to know that a card is an agent's own.
type CardKeys struct {
	Keys string `json:"keys,omitempty"` // the https address of a JWKS
}

// Credentials say how to prove to an agent who calls it: see "credentials" in
// docs/configuration.md. The secret is kept sealed, and is never shown.
type Credentials struct {
	Type   string `json:"type,omitempty"`
	Header string `json:"header,omitempty"`
	Scheme string `json:"scheme,omitempty"`
	User   string `json:"user,omitempty"`
	In     string `json:"in,omitempty"`
	Name   string `json:"name,omitempty"`

	TokenURL   string   `json:"token_url,omitempty"`
	ClientID   string   `json:"client_id,omitempty"`
	ClientAuth string   `json:"client_auth,omitempty"`
	Scopes     []string `json:"scopes,omitempty"`
	Audience   string   `json:"audience,omitempty"`
	Resource   string   `json:"resource,omitempty"`

	Secret string `json:"-"`
}

// Duration is a length of time that is written as 90d, 36h or 30m.
type Duration time.Duration

// ParseDuration knows days besides what time.ParseDuration does.
func ParseDuration(s string) (Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return Duration(n) * Duration(24*time.Hour), err
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = fmt.Errorf("%s is less than nothing", s)
	}
	return Duration(d), err
}

// UnmarshalText reads what MarshalText writes, and all that ParseDuration does.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDuration(string(text))
	return err
}

// MarshalText writes whole days as such.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String returns whole days as such.
func (d Duration) String() string {
	const day = Duration(24 * time.Hour)
	if d >= day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	return time.Duration(d).String()
}
