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
	maxShown  = 4000 // characters of a value that are shown
	maxCommon = 60   // of them, from before the first that is another
)

// Differences returns at most so many differences of two cards, in order, and how many more there
// are. Items with an id are matched by it. A long value begins near its first change.
func Differences(was, is []byte, most int) (list []Difference, more int) {
	before := leaves(was)
	after := leaves(is)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		old := before[path]
		new := after[path]
		switch {
		case old == new:
		case len(list) == most:
			more++
		default:
			from := commonLength(old, new)
			list = append(list, Difference{
				sanitize.Short(path, sanitize.MaxLink),
				excerpt(old, from),
				excerpt(new, from),
			})
		}
	}

	return list, more
}

// commonLength returns how many characters of two values are omitted at the beginning: none of
// short values.
func commonLength(a, b string) int {
	x := []rune(a)
	y := []rune(b)
	if len(x) <= maxShown && len(y) <= maxShown {
		return 0
	}

	alike := 0
	for alike < min(len(x), len(y)) && x[alike] == y[alike] {
		alike++
	}

	return max(alike-maxCommon, 0)
}

// excerpt returns the part of a value that is shown, and how much is omitted.
func excerpt(s string, from int) string {
	r := []rune(s)
	from = min(from, len(r))
	to := min(from+maxShown, len(r))
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
		found["all of it"] = escapeInvisible(string(document))
		return found
	}

	collectLeaves(found, "", v)
	return found
}

func collectLeaves(found map[string]string, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			for name, member := range v {
				collectLeaves(found, strings.TrimPrefix(path+"."+pathWord(name), "."), member)
			}
			return
		}
	case []any:
		if ids := idsOf(v); ids != nil {
			for i, id := range ids {
				collectLeaves(found, path+"["+strconv.Quote(id)+"]", v[i])
			}
			found[path+"[]"] = encodeLeaf(ids) // in which order
			return
		}
		if slices.ContainsFunc(v, isObject) {
			for i, item := range v {
				collectLeaves(found, path+"["+strconv.Itoa(i)+"]", item)
			}
			found[path+"[]"] = strconv.Itoa(len(v))
			return
		}
	}
	found[path] = encodeLeaf(v)
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

// encodeLeaf writes a value as JSON.
func encodeLeaf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf("%q", v) // it came from JSON
	}
	return escapeInvisible(strings.TrimSuffix(b.String(), "\n"))
}

// escapeInvisible escapes invisible characters as JSON does.
func escapeInvisible(s string) string {
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
