package config

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"

	"github.com/knadh/koanf/v2"

	"rialto/internal/embedded"
)

// Setting is one setting of the configuration. Its type is that of the field with
// the key as its koanf tag. The environment variable of a key outside a list is the
// key in upper case, with RIALTO_ before it and __ for a dot.
type Setting struct {
	Key     string   // in the file; [] stands for each item of a list
	Parts   []string // the keys below Key, if several make up the setting
	Default string   // as written in the file; "" is the zero value
	Shown   string   // the documented default, where it is computed
	Doc     string   // Markdown
	Secret  bool     // never shown
	Live    bool     // a reload applies it; all settings of agents are live

	// For a setting of an agent:
	Flag  string // of "rialto agents add"
	Usage string // the help of the flag
	Form  string // the input in the console's form, if it has another name than the member; "-" is none
}

//go:embed settings.yaml
var settings []byte

// table returns all settings, by the table of the documentation that has them.
var table = embedded.YAML[map[string][]Setting](settings)

func find(key string) (Setting, bool) {
	for _, part := range table() {
		for _, s := range part {
			if slices.Contains(s.Keys(), key) {
				return s, true
			}
		}
	}

	return Setting{}, false
}

// isScalar tells whether the environment and flags can set a key: it is not in a list.
func isScalar(key string) bool {
	_, ok := find(key)
	return ok && !strings.Contains(key, "[]")
}

// AgentSettings returns the settings of an agent.
func AgentSettings() []Setting { return slices.Concat(table()["agents"], table()["credentials"]) }

// AgentFlags returns the settings of an agent that have a flag.
func AgentFlags() []Setting {
	return slices.DeleteFunc(AgentSettings(), func(s Setting) bool { return s.Flag == "" })
}

// SetAgent sets what values, by their keys in the table, say of an agent.
func SetAgent(a *Agent, values map[string]any) error { return set(a, values) }

func set(into any, values map[string]any) error {
	k := koanf.New(".")
	for key, v := range values {
		if err := k.Set(strings.TrimPrefix(key, "agents[]."), v); err != nil {
			return err
		}
	}

	return explain("", decode(k, into))
}

// Keys returns the keys of the setting in the file.
func (s Setting) Keys() []string {
	if s.Parts == nil {
		return []string{s.Key}
	}
	var keys []string
	for _, part := range s.Parts {
		keys = append(keys, s.Key+"."+part)
	}
	return keys
}

// settingFields returns the fields of a struct, with those of groups that have no key.
func settingFields(t reflect.Type) (all []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if f.Tag.Get("koanf") != ",squash" {
			all = append(all, f)
			continue
		}
		for _, of := range settingFields(f.Type) {
			of.Index = append(slices.Clone(f.Index), of.Index...)
			all = append(all, of)
		}
	}
	return all
}

// Type returns the type of the field of a key.
func Type(key string) reflect.Type {
	t := reflect.TypeFor[Config]()
	for name := range strings.SplitSeq(strings.ReplaceAll(key, "[]", ""), ".") {
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		for _, f := range settingFields(t) {
			if f.Tag.Get("koanf") == name {
				t = f.Type
				break
			}
		}
	}

	return t
}
