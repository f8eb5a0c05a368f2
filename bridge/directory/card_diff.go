package directory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"rialto/bridge/sanitize"
)

// Difference is a place where two cards differ. Was and Is are JSON with invisible
// characters escaped, or "" if there is no value.
type Difference struct{ Path, Was, Is string }

const (
	maxDifferent = 4000 // characters of a value that are shown
	maxAlike     = 60   // of them, from before the first that is another
)

// Differences returns at most so many differences of two cards, in order, and how many more there
// are. Items with an id are matched by it. A long value begins near its first change.
func Differences(was, is []byte, most int) (list []Difference, more int) {
	before, after := leaves(was), leaves(is)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		old, new := before[path], after[path]
		switch {
		case old == new:
		case len(list) == most:
			more++
		default:
			from := apart(old, new)
			list = append(list, Difference{sanitize.Short(path, sanitize.MaxLink), piecewise(old, from), piecewise(new, from)})
		}
	}
	return list, more
}

// apart returns how many characters of two values are omitted at the beginning: none of
// short values.
func apart(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) <= maxDifferent && len(y) <= maxDifferent {
		return 0
	}
	alike := 0
	for alike < min(len(x), len(y)) && x[alike] == y[alike] {
		alike++
	}
	return max(alike-maxAlike, 0)
}

// piecewise returns the part of a value that is shown, and how much is omitted.
func piecewise(s string, from int) string {
	r := []rune(s)
	from = min(from, len(r))
	to := min(from+maxDifferent, len(r))
	text := string(r[from:to])
	if from > 0 {
		text = fmt.Sprintf("(%d characters as before)… ", from) + text
	}
	if to < len(r) {
		text += fmt.Sprintf(" …(%d characters more)", len(r)-to)
	}
	return text
}

// leaves returns the innermost values of a JSON document by path.
func leaves(document []byte) map[string]string {
	found := map[string]string{}
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		found["all of it"] = seen(string(document))
		return found
	}
	gather(found, "", v)
	return found
}

func gather(found map[string]string, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			for name, member := range v {
				gather(found, strings.TrimPrefix(path+"."+pathWord(name), "."), member)
			}
			return
		}
	case []any:
		if ids := idsOf(v); ids != nil {
			for i, id := range ids {
				gather(found, path+"["+strconv.Quote(id)+"]", v[i])
			}
			found[path+"[]"] = leaf(ids) // in which order
			return
		}
		if slices.ContainsFunc(v, isObject) {
			for i, item := range v {
				gather(found, path+"["+strconv.Itoa(i)+"]", item)
			}
			found[path+"[]"] = strconv.Itoa(len(v))
			return
		}
	}
	found[path] = leaf(v)
}

// idsOf returns the ids of the objects in a list; nil unless each has its own.
func idsOf(list []any) (ids []string) {
	known := map[string]bool{}
	for _, item := range list {
		object, _ := item.(map[string]any)
		id, ok := object["id"].(string)
		if !ok || known[id] {
			return nil
		}
		known[id], ids = true, append(ids, id)
	}
	return ids
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

var plainName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func pathWord(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// leaf writes a value as JSON.
func leaf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf("%q", v) // it came from JSON
	}
	return seen(strings.TrimSuffix(b.String(), "\n"))
}

// seen escapes invisible characters as JSON does.
func seen(s string) string {
	if sanitize.Text(s) == s {
		return s
	}
	var all strings.Builder
	for _, r := range s {
		switch high, low := utf16.EncodeRune(r); {
		case !sanitize.Hidden(r):
			all.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&all, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&all, `\u%04x`, r)
		}
	}
	return all.String()
}
