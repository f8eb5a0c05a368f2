package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/v2"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/internal/similar"
)

// variableIndex is the place of an item of a list in a variable's name: AGENTS_0_URL.
var variableIndex = regexp.MustCompile(`_(\d{1,3})_`)

// envKey returns the key of a variable, with the places in lists as keys: agents.0.url. Empty
// variables count as not set. Unknown variables are ignored: an orchestrator sets RIALTO_PORT and
// others for a service with this name.
func envKey(name, value string) (string, any) {
	key := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "RIALTO_"), "__", "."))
	if _, ok := find(variableIndex.ReplaceAllString(key, "[].")); !ok || value == "" {
		return "", nil
	}
	return variableIndex.ReplaceAllString(key, ".$1."), value
}

// withLists makes a list of each map whose keys are the places 0, 1, 2 and so on.
func withLists(v any) (_ any, err error) {
	m, ok := v.(map[string]any)
	if !ok {
		return v, nil
	}

	var list []any
	for key, item := range m {
		m[key], err = withLists(item)
		if err != nil {
			return nil, err
		}
	}

	for len(list) < len(m) {
		item, ok := m[strconv.Itoa(len(list))]
		if !ok {
			break
		}
		list = append(list, item)
	}

	last := slices.Max(slices.Collect(maps.Keys(m)))
	switch {
	case last[0] < '0' || last[0] > '9':
		return m, nil // keys of a setting
	case len(list) < len(m):
		return nil, fmt.Errorf(
			"there is a variable with _%s_ in its name, and none with _%d_: number the items of a list from 0, without gaps",
			last, len(list),
		)
	}

	return list, nil
}

// decode decodes k over c.
func decode(k *koanf.Koanf, c any) error {
	return k.UnmarshalWithConf("", c, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: c, TagName: "koanf",
		MatchName:  func(key, field string) bool { return key == field && field != "-" },
		DecodeHook: fromScalar,
	}})
}

// unknownKeys returns an error for each unknown key in a value of the configuration, because a typing
// mistake in a security setting must not go unnoticed.
func unknownKeys(known []string, at string, v any) (faults error) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key := strings.TrimPrefix(at+"."+name, ".")
			if strings.Contains(name, ".") || !slices.Contains(known, listIndex.ReplaceAllString(key, "")) {
				faults = errors.Join(faults, unknownKey(known, key))
				continue
			}
			faults = errors.Join(faults, unknownKeys(known, key, v[name]))
		}
	case []any:
		for i, item := range v {
			faults = errors.Join(faults, unknownKeys(known, fmt.Sprintf("%s[%d]", at, i), item))
		}
	}
	return faults
}

// fromScalar converts text and numbers to the type of a key: the environment has only
// text, and YAML reads 1.0 as a number.
func fromScalar(_, to reflect.Type, v any) (any, error) {
	switch v := v.(type) {
	case string:
		return fromText(to, v)
	case int:
		return fromNumber(to, float64(v), strconv.Itoa(v)), nil
	case float64:
		return fromNumber(to, v, strconv.FormatFloat(v, 'f', -1, 64)), nil
	}
	return v, nil
}

func fromText(to reflect.Type, s string) (v any, err error) {
	problem := ""
	switch to {
	case reflect.TypeFor[bool]():
		problem = "not true or false"
		v, err = strconv.ParseBool(s)
	case reflect.TypeFor[time.Duration](), reflect.TypeFor[directory.Duration]():
		problem = "not a length of time such as 30m, 24h or 90d"
		v, err = directory.ParseDuration(s)
	case reflect.TypeFor[int]():
		problem = "not a whole number"
		v, err = strconv.ParseUint(s, 10, 63)
	case reflect.TypeFor[Size]():
		problem = "not a size such as 512KiB, 16MiB or 2GiB"
		v, err = parseSize(s)
	case reflect.TypeFor[[]string]():
		list := strings.Split(s, ",")
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		v = list
	default:
		v = s
	}

	if err != nil {
		return nil, wrongType(fmt.Sprintf("%q is %s", s, problem))
	}

	return v, nil
}

func fromNumber(to reflect.Type, n float64, text string) any {
	switch {
	case to == reflect.TypeFor[a2a.Generation]():
		return strconv.FormatFloat(n, 'f', 1, 64)
	case to.Kind() == reflect.String:
		return text
	}
	return n
}

// wrongType is what is wrong with a value.
type wrongType string

func (e wrongType) Error() string { return string(e) }

// explain returns the errors in err, each in one line after a prefix and without names of Go types. It
// does not show values, which may be secrets.
func explain(prefix string, err error) error {
	var many interface{ Unwrap() []error }
	var at *mapstructure.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		var all error
		for _, one := range many.Unwrap() {
			all = errors.Join(all, explain(prefix, one))
		}
		return all
	case errors.As(err, &at):
		return fmt.Errorf("%s%s: %s", prefix, at.Name(), typeError(at.Unwrap()))
	case strings.Contains(err.Error(), "into map[string]"):
		return errors.New(
			prefix + "the file must be made of keys with values, such as listen: 127.0.0.1:8080",
		)
	}

	return errors.New(prefix + strings.Join(strings.Fields(err.Error()), " "))
}

func typeError(err error) string {
	var wrong wrongType
	if errors.As(err, &wrong) {
		return string(wrong)
	}

	var kind *mapstructure.UnconvertibleTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf(
			"must be %s, and is %s",
			kindName(kind.Expected.Type()),
			kindName(reflect.TypeOf(kind.Value)),
		)
	}
	if text := err.Error(); strings.HasPrefix(text, "expected a map") {
		return "must be keys with values"
	} else if strings.Contains(text, "array or slice") {
		return "must be a list"
	}

	return strings.Join(strings.Fields(err.Error()), " ")
}

func kindName(t reflect.Type) string {
	if t == reflect.TypeFor[time.Time]() {
		return "a date" // as YAML reads 2026-01-31
	}

	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "keys with values"
	}

	return "a number"
}

// unknownKey suggests the nearest key.
func unknownKey(known []string, key string) error {
	named := listIndex.ReplaceAllString(key, "") // agents[0].ulr: agents.ulr
	if dot := strings.LastIndexByte(key, '.'); dot > 0 && slices.Contains(known, named) {
		return fmt.Errorf(
			"unknown key %q: a dot does not nest keys here; write %q indented below %q",
			key,
			key[dot+1:]+":",
			key[:dot]+":",
		)
	}

	nearest, _ := similar.Nearest(named, known)
	return fmt.Errorf("unknown key %q: did you mean %q?", key, nearest)
}

// knownKeys lists the keys of settings and the groups that they are in, without brackets.
func knownKeys() (all []string) {
	for _, part := range table() {
		for _, s := range part {
			for _, key := range s.Keys() {
				words := strings.Split(strings.ReplaceAll(key, "[]", ""), ".")
				for n := range words {
					all = append(all, strings.Join(words[:n+1], "."))
				}
			}
		}
	}

	slices.Sort(all)
	return slices.Compact(all)
}
