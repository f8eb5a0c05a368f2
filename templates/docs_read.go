package templates

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// ReadDocs makes the page of an OpenAPI 3.1 document. Only what our own says is
// understood: references within it, and schemas of objects, lists and plain
// values. Addresses that refer to another are listed there.
func ReadDocs(product, at string, spec []byte) (Docs, error) {
	d := openAPI{at: at}
	if err := json.Unmarshal(spec, &d.whole); err != nil {
		return Docs{}, fmt.Errorf("reading the OpenAPI document: %w", err)
	}

	page := Docs{Product: product, URL: at, Description: text(d.whole["info"], "description")}
	also := d.aliases()
	operations := map[string][]Operation{}
	paths := object(d.whole["paths"])
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := object(paths[path])
		if item["$ref"] != nil {
			continue
		}
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			about := object(item[method])
			if about == nil {
				continue
			}
			o := d.operation(method, path, item, about)
			o.Also = also[path]
			tag := first(about["tags"])
			if err := o.prepare(tag); err != nil {
				return Docs{}, err
			}
			operations[tag] = append(operations[tag], o)
		}
	}

	for _, tag := range list(d.whole["tags"]) {
		name := text(tag, "name")
		if all := operations[name]; len(all) > 0 {
			page.Groups = append(
				page.Groups,
				DocGroup{Name: name, Words: text(tag, "description"), Operations: all},
			)
		}
	}

	return page, nil
}

// openAPI is the document that is read.
type openAPI struct {
	whole map[string]any
	at    string
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func first(v any) string {
	if l := list(v); len(l) > 0 {
		s, _ := l[0].(string)
		return s
	}
	return ""
}

func text(v any, name string) string {
	s, _ := object(v)[name].(string)
	return s
}

// maxDepth bounds how many references lead to one thing, and how deep members are listed.
const maxDepth = 6

// resolve follows references within the document.
func (d openAPI) resolve(v any) map[string]any {
	m := object(v)
	for range maxDepth {
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		var at any = d.whole
		for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			at = object(at)[unescapePointer(step)]
		}
		m = object(at)
	}

	return nil
}

// unescapePointer returns a name in a JSON pointer in the fragment of a URI (RFC 6901 section 6).
func unescapePointer(name string) string {
	if unescaped, err := url.PathUnescape(name); err == nil {
		name = unescaped
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
}

// aliases returns the other addresses of each.
func (d openAPI) aliases() map[string][]string {
	also := map[string][]string{}
	paths := object(d.whole["paths"])
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if ref := text(paths[path], "$ref"); ref != "" {
			to := unescapePointer(strings.TrimPrefix(ref, "#/paths/"))
			also[to] = append(also[to], path)
		}
	}
	return also
}

func (d openAPI) operation(method, path string, item, about map[string]any) Operation {
	o := Operation{
		ID: strings.Trim(
			strings.NewReplacer("/", "-", "{", "", "}", "", ".", "-").Replace(method+path), "-",
		),
		Method:      strings.ToUpper(method),
		Path:        path,
		Summary:     text(about, "summary"),
		Description: text(about, "description"),
	}
	d.security(&o, about)
	for _, p := range slices.Concat(list(item["parameters"]), list(about["parameters"])) {
		p := d.resolve(p)
		required, _ := p["required"].(bool)
		o.Parameters = append(o.Parameters, Member{
			Name:     text(p, "name"),
			In:       text(p, "in"),
			Type:     d.kind(p["schema"]),
			Words:    d.words(p),
			Required: required,
		})
	}

	o.Body = d.bodies(d.resolve(about["requestBody"])["content"])
	responses := object(about["responses"])
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		r := d.resolve(responses[status])
		a := Answer{Status: status, Words: text(r, "description"), Bodies: d.bodies(r["content"])}
		if strings.HasPrefix(status, "4") || strings.HasPrefix(status, "5") {
			a.Bodies = nil // all refusals of a kind look alike, and would be half of the page
		}
		o.Answers = append(o.Answers, a)
	}

	o.Example = d.example(o)
	return o
}

// security says which token an operation wants: that of the document unless it says so itself.
func (d openAPI) security(o *Operation, about map[string]any) {
	needs, own := about["security"].([]any)
	if !own {
		needs = list(d.whole["security"])
	}

	o.Public = len(needs) == 0
	for _, need := range needs {
		scopes, ok := object(need)["oauth"]
		if !ok {
			o.Optional = true
		}
		for _, s := range list(scopes) {
			o.Scopes = append(o.Scopes, fmt.Sprint(s))
		}
	}
}

// words returns what is said of a parameter or a schema, and its bounds.
func (d openAPI) words(v any) string {
	m := object(v)
	schema := d.resolve(m["schema"])
	if schema == nil {
		schema = m
	}

	said := cmp.Or(text(m, "description"), text(schema, "description"))
	var more []string
	for _, bound := range []struct{ key, word string }{{"minimum", "at least"}, {"maximum", "at most"}, {"minLength", "length at least"}, {"default", "default"}} {
		if v, ok := schema[bound.key]; ok {
			more = append(more, fmt.Sprint(bound.word, " ", v))
		}
	}

	if len(more) > 0 {
		said = strings.TrimSpace(said + " (" + strings.Join(more, ", ") + ")")
	}

	return said
}

// kind says in a word what values a schema allows.
func (d openAPI) kind(v any) string {
	m := d.resolve(v)
	if values := list(m["enum"]); len(values) > 0 {
		return alternatives(values)
	}
	if c, ok := m["const"]; ok {
		return fmt.Sprint(c)
	}

	switch t := m["type"].(type) {
	case string:
		if t == "array" {
			if of := d.kind(m["items"]); of != "" {
				return "array of " + of
			}
		}
		if f := text(m, "format"); f != "" {
			return t + " (" + f + ")"
		}
		return t
	case []any:
		return alternatives(t)
	}

	for _, several := range []string{"anyOf", "oneOf", "allOf"} {
		var kinds []any
		for _, one := range list(m[several]) {
			if k := d.kind(one); k != "" && !slices.Contains(kinds, any(k)) {
				kinds = append(kinds, k)
			}
		}
		if len(kinds) > 0 {
			return alternatives(kinds)
		}
	}

	if m["properties"] != nil {
		return "object"
	}

	return ""
}

// alternatives joins values of which one is meant.
func alternatives(values []any) string {
	var all []string
	for _, v := range values {
		all = append(all, fmt.Sprint(v))
	}
	return strings.Join(all, " | ")
}

func (d openAPI) bodies(content any) (all []Body) {
	forms := object(content)
	for _, kind := range slices.Sorted(maps.Keys(forms)) {
		media := object(forms[kind])
		b := Body{Type: kind, Words: d.kind(media["schema"])}
		b.Members = d.members(nil, "", media["schema"], 0)
		example, ok := media["example"]
		if !ok && strings.HasSuffix(kind, "json") {
			example, ok = d.sample(media["schema"], 0)
		}
		if ok {
			b.Example = formatExample(kind, example)
		}
		all = append(all, b)
	}

	return all
}

// sample makes an example of a schema from the examples in it, and reports whether there
// is one. A member without an example is left out or, if it is required, empty.
func (d openAPI) sample(schema any, depth int) (example any, ok bool) {
	m := d.resolve(schema)
	example, ok = m["example"]
	if ok || depth >= maxDepth {
		return example, ok
	}
	if m["items"] != nil {
		one, ok := d.sample(m["items"], depth+1)
		return []any{one}, ok
	}
	required := list(m["required"])
	sampled := map[string]any{}
	for name, property := range object(m["properties"]) {
		value, known := d.sample(property, depth+1)
		ok = ok || known
		if known || slices.Contains(required, any(name)) {
			sampled[name] = value
		}
	}

	if !ok {
		return empty[fmt.Sprint(m["type"])], false
	}

	return sampled, true
}

// empty holds a value of each simple type.
var empty = map[string]any{
	"string":  "",
	"integer": 0,
	"number":  0,
	"boolean": false,
	"array":   []any{},
	"object":  map[string]any{},
}

// members lists the members of a schema, and those of their values, under their paths.
func (d openAPI) members(all []Member, at string, schema any, depth int) []Member {
	m := d.resolve(schema)
	if depth >= maxDepth || m == nil {
		return all
	}

	for _, several := range []string{"allOf", "anyOf", "oneOf"} {
		for _, one := range list(m[several]) {
			all = d.members(all, at, one, depth+1)
		}
	}

	if m["items"] != nil {
		return d.members(all, at+"[]", m["items"], depth+1)
	}

	properties := object(m["properties"])
	required := list(m["required"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		path := strings.TrimPrefix(at+"."+name, ".")
		all = append(all, Member{
			Name:     path,
			Type:     d.kind(properties[name]),
			Words:    d.words(d.resolve(properties[name])),
			Required: slices.Contains(required, any(name)),
		})
		all = d.members(all, path, properties[name], depth+1)
	}

	return all
}

// formatExample writes an example as it goes over the wire.
func formatExample(kind string, example any) string {
	if kind == "application/x-www-form-urlencoded" {
		form := url.Values{}
		for name, v := range object(example) {
			form.Set(name, fmt.Sprint(v))
		}
		return form.Encode()
	}

	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(example) != nil {
		return fmt.Sprint(example)
	}

	return strings.TrimSpace(b.String())
}

// example writes a request as a person types it in a shell, where variables stand for what differs.
func (d openAPI) example(o Operation) string {
	path := inPath.ReplaceAllStringFunc(o.Path, func(name string) string {
		return "$" + strings.ToUpper(strings.Trim(name, "{}"))
	})
	words := []string{`curl "` + d.at + path + `"`}
	if !o.Public {
		words = append(words, `-H "Authorization: Bearer $TOKEN"`)
	}
	withBody := slices.IndexFunc(o.Body, func(b Body) bool { return b.Example != "" })
	if withBody >= 0 {
		b := o.Body[withBody]
		quoted := strings.ReplaceAll(compact(b.Example), "'", `'\''`)
		words = append(words, "-H 'Content-Type: "+b.Type+"'", "-d '"+quoted+"'")
	}
	if o.Method != "GET" && (o.Method != "POST" || withBody < 0) {
		words[0] = "curl -X " + o.Method + strings.TrimPrefix(words[0], "curl")
	}
	return strings.Join(words, " \\\n  ")
}

var inPath = regexp.MustCompile(`\{\w+\}`)

// compact takes the line breaks out of JSON.
func compact(s string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return s
	}
	return b.String()
}
