package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
)

// Change is a setting that differs between two configurations. Secrets are not shown.
type Change struct {
	Key     string `json:"key"`
	Was     string `json:"was,omitempty"`
	Is      string `json:"is,omitempty"`
	Restart bool   `json:"restart,omitempty"` // a reload cannot apply it
}

// String returns the change in one line, such as log.level: info → debug.
func (c Change) String() string {
	when := ""
	if c.Restart {
		when = ", after a restart"
	}

	return fmt.Sprintf(
		"%s: %s → %s%s",
		c.Key,
		cmp.Or(c.Was, "(none)"),
		cmp.Or(c.Is, "(none)"),
		when,
	)
}

// Changes returns the settings of next that differ from c, sorted by key. Agents are compared
// by name, and the logo and the files with secrets by content, too.
func (c *Config) Changes(next *Config) []Change {
	was := c.raw()
	is := next.raw()
	both := maps.Clone(was)
	maps.Copy(both, is)
	var all []Change
	for _, key := range slices.Sorted(maps.Keys(both)) {
		if was[key].set() != is[key].set() {
			inTable := both[key].inTable
			all = append(all, Change{
				key,
				redactSetting(inTable, was[key].value),
				redactSetting(inTable, is[key].value),
				!isLive(inTable),
			})
		}
	}

	return all
}

// rawSetting is the value of a setting, which may be a secret, and its key in the table.
type rawSetting struct{ inTable, value string }

// set returns the value, or "" if it is false: what a new agent does not do is no change.
func (r rawSetting) set() string {
	if r.value == "false" {
		return ""
	}
	return r.value
}

// raw returns the settings by key. Agents have their names in the place of indexes.
func (c *Config) raw() map[string]rawSetting {
	all := map[string]rawSetting{}
	rest := *c
	rest.Agents = nil
	flatten(
		"",
		reflect.ValueOf(rest),
		func(key, value string) { all[key] = rawSetting{withoutNumbers(key), value} },
	)
	for _, a := range c.Agents {
		prefix := "agents[" + a.Name + "]"
		flatten("agents[]", reflect.ValueOf(a), func(key, value string) {
			all[prefix+strings.TrimPrefix(key, "agents[]")] = rawSetting{withoutNumbers(key), value}
		})
	}

	for key, digest := range c.origin.contents {
		all[key+ofContents] = rawSetting{
			withoutNumbers(key) + ofContents,
			digest,
		} // no setting: not shown
	}

	return all
}

// ofContents ends the key of a change if the contents of a file or variable have changed, and not
// the setting that names it.
const ofContents = " (contents)"

// isLive tells whether a reload applies a setting. All that is said of an agent is applied, and all that
// the files hold that settings name.
func isLive(inTable string) bool {
	s, _ := find(inTable)
	return s.Live || strings.HasPrefix(inTable, "agents[") || strings.HasSuffix(inTable, ofContents)
}

// Revision identifies how an agent is reached: it changes with the agent's settings, with what the
// files and variables hold that they name, and with the limits of its connections.
func (c *Config) Revision(a Agent) string {
	h := sha256.New()
	flatten(
		"", reflect.ValueOf(a), func(key, value string) { fmt.Fprintf(h, "%q=%q\n", key, value) },
	)
	fmt.Fprintln(h, c.origin.contents[credentialsOf(a)], c.Limits.TaskSize, c.Limits.ConnectionsPerAgent)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// files returns the files that settings outside agents name, by key: the logo, and secrets.
func (c *Config) files() map[string]string {
	all := map[string]string{}
	flatten("", reflect.ValueOf(*c), func(key, value string) {
		names := key == "brand.logo" || strings.HasSuffix(key, ".file")
		if names && !strings.HasPrefix(key, "agents[") {
			all[key] = value
		}
	})
	return all
}

// readContents notes digests of the files and variables that the settings name. What uses them
// reads them again and reports errors.
func (c *Config) readContents() {
	c.origin.contents = map[string]string{}
	for key, path := range c.files() {
		c.addContents(key, "", path)
	}

	for _, a := range c.Agents {
		c.addContents(
			credentialsOf(a),
			os.Getenv(a.Credentials.Env),
			a.Credentials.File,
			a.Credentials.CAFile,
			a.Card.Keys,
		)
	}
}

// credentialsOf is the key of the contents of all that an agent names.
func credentialsOf(a Agent) string { return "agents[" + a.Name + "].credentials" }

func (c *Config) addContents(key, value string, files ...string) {
	h := sha256.New()
	found := value != ""
	fmt.Fprintf(h, "%q\n", value)
	for _, path := range files {
		if b, err := os.ReadFile(path); err == nil {
			found = true
			fmt.Fprintf(h, "%q\n", b)
		}
	}

	if found {
		c.origin.contents[key] = base64.RawURLEncoding.EncodeToString(h.Sum(nil))
	}
}
