package call

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Keys returns the beginnings of arguments that a tool takes, for completion.
func Keys(tool *mcp.Tool, begun string) (keys []string) {
	for _, name := range names(schemaOf(tool.InputSchema)) {
		if strings.HasPrefix(name, begun) {
			keys = append(keys, name+"=")
		}
	}
	return keys
}

// ErrArguments is returned for arguments that a tool does not take.
var ErrArguments = errors.New("arguments")

// schemaOf returns a schema that was received, or an empty one if it is none.
func schemaOf(received any) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if b, err := json.Marshal(received); err != nil || json.Unmarshal(b, s) != nil {
		return &jsonschema.Schema{}
	}
	return s
}

// names returns the properties of a schema, the required ones first.
func names(s *jsonschema.Schema) []string {
	rest := slices.DeleteFunc(
		slices.Sorted(maps.Keys(s.Properties)),
		func(n string) bool { return slices.Contains(s.Required, n) },
	)
	return append(
		slices.DeleteFunc(
			slices.Clone(s.Required), func(n string) bool { return s.Properties[n] == nil },
		),
		rest...)
}

// Arguments reads the arguments of a tool: key=value by the type that the tool's schema names,
// key=@file for the content of a file ("-" is the standard input), and key:=JSON.
func Arguments(tool *mcp.Tool, words []string, stdin io.Reader) (map[string]any, error) {
	s := schemaOf(tool.InputSchema)
	args := map[string]any{}
	for _, word := range words {
		key, text, ok := strings.Cut(word, "=")
		if !ok || strings.Trim(key, ":") == "" {
			return nil, fmt.Errorf(
				"%w: %q: write it as key=value; %s takes %s",
				ErrArguments,
				word,
				tool.Name,
				strings.Join(names(s), ", "),
			)
		}
		key, asJSON := strings.CutSuffix(key, ":")
		p := s.Properties[key]
		if p == nil && len(s.Properties) > 0 && s.AdditionalProperties != nil {
			return nil, fmt.Errorf(
				"%w: %s has no argument %q; it takes %s",
				ErrArguments,
				tool.Name,
				key,
				strings.Join(names(s), ", "),
			)
		}
		v, err := value(p, text, asJSON, stdin)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrArguments, key, err)
		}
		if list, ok := v.([]any); ok && args[key] != nil {
			had, _ := args[key].([]any)
			v = append(had, list...)
		}
		args[key] = v
	}

	for _, key := range s.Required {
		if _, ok := args[key]; !ok {
			return nil, fmt.Errorf("%w: %s needs %s=…", ErrArguments, tool.Name, key)
		}
	}

	return args, nil
}

func value(p *jsonschema.Schema, text string, asJSON bool, stdin io.Reader) (any, error) {
	var file string
	if name, ok := strings.CutPrefix(text, "@"); ok {
		content, err := contentOf(name, stdin)
		if err != nil {
			return nil, err
		}
		if p != nil && p.Items != nil && p.Items.Properties["bytes"] != nil && !asJSON {
			return []any{attached(name, content)}, nil
		}
		file = name
		text = string(content)
	}
	if asJSON {
		return parsed(text)
	}

	kinds := kindsOf(p)
	switch {
	case slices.Contains(kinds, "string") && p.ContentEncoding == "base64" && file != "":
		return base64.StdEncoding.EncodeToString([]byte(text)), nil
	case slices.Contains(kinds, "string"):
		return text, nil
	case len(kinds) == 0: // any type: a string, unless it reads as something else
		if v, err := parsed(text); err == nil && file == "" {
			return v, nil
		}
		return text, nil
	case slices.Contains(kinds, "array") && !strings.HasPrefix(strings.TrimSpace(text), "["):
		v, err := value(p.Items, text, false, stdin)
		return []any{v}, err
	}

	v, err := parsed(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not of type %s", text, strings.Join(kinds, " or "))
	}

	return v, nil
}

func kindsOf(p *jsonschema.Schema) []string {
	switch {
	case p == nil:
		return nil
	case p.Type != "":
		return []string{p.Type}
	}
	return p.Types
}

func parsed(text string) (v any, err error) {
	if err = json.Unmarshal([]byte(text), &v); err != nil {
		return nil, fmt.Errorf("%q is not JSON", text)
	}
	return v, nil
}

// maxFile bounds a file of an argument.
const maxFile = 32 << 20

func contentOf(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}

	b, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxFile>>20)
	}

	return b, err
}

// attached returns a file as tools that take files with a name and "bytes" want it.
func attached(name string, content []byte) map[string]any {
	kind := mime.TypeByExtension(filepath.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	return map[string]any{
		"name":       filepath.Base(name),
		"media_type": kind,
		"bytes":      base64.StdEncoding.EncodeToString(content),
	}
}
