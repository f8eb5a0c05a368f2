package config

import (
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
)

// hiddenValue is shown instead of a secret.
const hiddenValue = "(set, not shown)"

var listIndex = regexp.MustCompile(`\[\d+\]`)

// Settings returns the settings in force, in the order of the fields, without secrets
// and empty settings.
func (c *Config) Settings() []operator.Setting {
	all := []operator.Setting{}
	add := func(key, value string) { all = append(all, operator.Setting{Key: key, Value: value}) }
	flatten("", reflect.ValueOf(*c), add)
	return all
}

// flatten lists the settings in a value of the configuration.
func flatten(key string, v reflect.Value, add func(key, value string)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Tag.Get("koanf")
			if name == "" || name == "-" {
				continue
			}
			if key != "" {
				name = key + "." + name
			}
			flatten(name, v.Field(i), add)
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
		if value := formatSetting(key, v.Interface()); value != "" {
			add(key, value)
		}
	}
}

func formatSetting(key string, v any) string {
	switch v := v.(type) {
	case directory.Duration:
		return formatSetting(key, time.Duration(v))
	case time.Duration:
		if v == 0 {
			return ""
		}
		return directory.Duration(v).String()
	case string:
		return redactSetting(key, v)
	}
	return fmt.Sprint(v)
}

func redactSetting(key, value string) string {
	if value == "" {
		return ""
	}
	if s, known := find(listIndex.ReplaceAllString(key, "[]")); !known || s.Secret {
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
