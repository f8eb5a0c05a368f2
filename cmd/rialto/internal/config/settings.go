package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
)

// hiddenValue is shown instead of a secret.
const hiddenValue = "(set, not shown)"

var listIndex = regexp.MustCompile(`\[\d+\]`)

// Settings returns the settings in force, in the order of the fields, without secrets.
// Empty settings are left out, unless the default is another.
func (c *Config) Settings() []operator.Setting {
	defaults := map[string]string{}
	flatten("", reflect.ValueOf(Defaults()), func(key, value string) { defaults[key] = value })
	all := []operator.Setting{}
	add := func(key, value, usual string) {
		name := withoutNumbers(key)
		s, _ := find(name)
		usual = cmp.Or(usual, s.Default) // lists have no items by default
		all = append(all, operator.Setting{
			Key:     key,
			Value:   redactSetting(name, value),
			About:   s.about(),
			Default: usual,
			Source:  c.source(key, value != usual),
			Live:    isLive(name),
		})
	}

	flatten("", reflect.ValueOf(*c), func(key, value string) {
		add(key, value, defaults[key])
		delete(defaults, key)
	})
	// What is left was set to nothing.
	for _, key := range slices.Sorted(maps.Keys(defaults)) {
		add(key, "", defaults[key])
	}

	return all
}

// source returns what sets a setting: a source of Load, "computed", or "" if it has its default.
func (c *Config) source(key string, changed bool) string {
	if source, ok := c.origin.sources[key]; ok || !changed {
		return source
	}
	for end := strings.LastIndexAny(key, ".["); end > 0; end = strings.LastIndexAny(key[:end], ".[") {
		if source, ok := c.origin.sources[key[:end]]; ok { // the source of the list or group that holds the setting
			return source
		}
	}
	return "computed"
}

var markdownLink = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)

// about returns the first sentence of the documentation as plain text.
func (s Setting) about() string {
	text := strings.ReplaceAll(markdownLink.ReplaceAllString(s.Doc, "$1"), "`", "")
	if first, _, more := strings.Cut(text, ". "); more {
		return first + "."
	}
	return text
}

// withoutNumbers returns the key of the table for a key with list indexes.
func withoutNumbers(key string) string { return listIndex.ReplaceAllString(key, "[]") }

// flatten lists the settings in a value of the configuration, with secrets.
func flatten(key string, v reflect.Value, add func(key, value string)) {
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range settingFields(v.Type()) {
			name := f.Tag.Get("koanf")
			if name == "-" {
				name = f.Tag.Get("variable")
			}
			if name == "" {
				continue
			}
			if key != "" {
				name = key + "." + name
			}
			flatten(name, v.FieldByIndex(f.Index), add)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			if list := fmt.Sprint(v.Interface()); v.Len() > 0 {
				add(key, strings.Trim(list, "[]"))
			}
			return
		}
		for i := range v.Len() {
			flatten(fmt.Sprintf("%s[%d]", key, i), v.Index(i), add)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			flatten(key, v.Elem(), add)
		}
	default:
		if value := formatSetting(v.Interface()); value != "" {
			add(key, value)
		}
	}
}

func formatSetting(v any) string {
	switch v := v.(type) {
	case directory.Duration:
		return formatSetting(time.Duration(v))
	case Size:
		if v == 0 {
			return ""
		}
		return v.String()
	case time.Duration:
		if v == 0 {
			return ""
		}
		return directory.Duration(v).String()
	}
	return fmt.Sprint(v)
}

// redactSetting returns a value as it may be shown. Key is that of the table, which lacks the
// addresses that variables alone set.
func redactSetting(key, value string) string {
	if value == "" {
		return ""
	}

	s, known := find(key)
	shown := known || isAddress(value, "http", "https")
	if s.Secret || !shown {
		return hiddenValue
	}
	if key == "database" {
		return Redacted(value)
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}

	return value
}
