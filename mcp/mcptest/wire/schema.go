package wire

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"rialto/mcp"
)

//go:embed schemas/*.json
var files embed.FS

// book is the schema of one revision.
type book struct {
	defs    map[string]*jsonschema.Schema
	methods map[string]string // the names of requests and notifications, by their method

	mu       sync.Mutex
	resolved map[string]*jsonschema.Resolved
}

// books caches the schema of each revision.
var books sync.Map // revision to func() (*book, error)

func bookOf(revision string) (*book, error) {
	read, _ := books.LoadOrStore(revision, sync.OnceValues(func() (*book, error) { return readBook(revision) }))
	return read.(func() (*book, error))()
}

func readBook(revision string) (*book, error) {
	all, err := readDefs(revision)
	if err != nil {
		return nil, err
	}
	extensions := []string{"skills", "events"}
	if revision == mcp.Revision20260728 {
		extensions = append(extensions, "tasks")
	} else {
		all["CacheableResult"] = all["Result"]
	}
	for _, name := range extensions {
		defs, err := readDefs(name)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, defs)
	}
	b := &book{defs: all, methods: map[string]string{}, resolved: map[string]*jsonschema.Resolved{}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if m := all[name].Properties["method"]; m != nil && m.Const != nil {
			b.methods[fmt.Sprint(*m.Const)] = name
		}
	}
	return b, nil
}

// readDefs reads the definitions of a schema. Those of draft-07 stood in
// "definitions", and are put where they are since.
func readDefs(name string) (map[string]*jsonschema.Schema, error) {
	b, err := files.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("no schema of %q", name)
	}
	b = bytes.ReplaceAll(b, []byte(`"#/definitions/`), []byte(`"#/$defs/`))
	b = bytes.Replace(b, []byte(`"definitions": {`), []byte(`"$defs": {`), 1)
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s.Defs, nil
}

// check returns what is wrong with a value of the definition name.
func (b *book) check(name string, v any) error {
	r, err := b.resolve(name)
	if err != nil {
		return err
	}
	if err := r.Validate(v); err != nil {
		return fmt.Errorf("not a %s: %w", name, err)
	}
	return nil
}

func (b *book) resolve(name string) (*jsonschema.Resolved, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.resolved[name]; r != nil {
		return r, nil
	}
	if b.defs[name] == nil {
		return nil, fmt.Errorf("the schema defines no %s", name)
	}
	s := &jsonschema.Schema{Ref: "#/$defs/" + name, Defs: b.defs}
	r, err := s.CloneSchemas().Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b.resolved[name] = r
	return r, nil
}
