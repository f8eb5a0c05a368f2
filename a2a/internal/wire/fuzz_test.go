package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"rialto/a2a"
)

// inJSON are the dialects of JSON, which all are read by one decoder.
func inJSON() []*Dialect { return append(Dialects(), &v03rest) }

// TestEveryDecoderHasAFuzzTest looks for each in the fuzz tests of this package.
func TestEveryDecoderHasAFuzzTest(t *testing.T) {
	decoders := map[string]bool{"DecodeCard": false}
	for d, i := reflect.TypeFor[*Dialect](), 0; i < d.NumMethod(); i++ {
		if name := d.Method(i).Name; strings.HasPrefix(name, "Decode") {
			decoders[name] = false
		}
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); !ok || !strings.HasPrefix(f.Name.Name, "Fuzz") {
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					if _, is := decoders[id.Name]; is {
						decoders[id.Name] = true
					}
				}
				return true
			})
		}
	}
	for name, fuzzed := range decoders {
		if !fuzzed {
			t.Errorf("no fuzz test calls %s", name)
		}
	}
}

func FuzzDecodeTask(f *testing.F) {
	seed(f, "answers")
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, d := range inJSON() {
			task, err := d.DecodeTask(b)
			if item, answered := d.DecodeAnswer(b); answered == nil && item.Event == nil {
				t.Fatalf("%s: an answer of nothing", b)
			}
			if err != nil {
				continue
			}
			out, err := d.EncodeTask(task)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := d.DecodeTask(out); err != nil || again.ID != task.ID {
				t.Fatalf("%s: %s, which is %s, is refused: %v", d.Generation, out, b, err)
			}
		}
	})
}

func FuzzDecodeQuery(f *testing.F) {
	f.Add([]byte(`{"id":"t","historyLength":3}`))
	f.Add([]byte(`{"name":"tasks/t/pushNotificationConfigs/c","historyLength":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, d := range inJSON() {
			q, err := d.DecodeQuery(b)
			if err != nil {
				if !a2a.Is(err, a2a.InvalidParams) {
					t.Fatalf("%s: got %v", b, err)
				}
				continue
			}
			out, err := d.EncodeQuery(q, "tenant")
			if err != nil {
				t.Fatal(err)
			}
			if again, err := d.DecodeQuery(out); err != nil || !reflect.DeepEqual(again, q) {
				t.Fatalf("%s: %s, which is %s, became %+v, %v", d.Generation, out, b, again, err)
			}
		}
	})
}

func FuzzDecodePushes(f *testing.F) {
	f.Add([]byte(`[{"taskId":"t","pushNotificationConfig":{"id":"c","url":"u","token":"x"}}]`))
	f.Add([]byte(`{"configs":[{"id":"c","taskId":"t","url":"u","authentication":{"scheme":"Bearer"}}],"nextPageToken":""}`))
	f.Add([]byte(`{"configs":[{"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"url":"u"}},null]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, d := range inJSON() {
			all, err := d.DecodePushes(b, "task")
			if err != nil {
				continue
			}
			for _, c := range all {
				if c.TaskID == "" || c.URL == "" {
					t.Fatalf("%s: %s became %+v", d.Generation, b, c)
				}
			}
			out, err := d.EncodePushes(all)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := d.DecodePushes(out, "task"); err != nil || len(again) != len(all) {
				t.Fatalf("%s: %s, which is %s, became %d, %v", d.Generation, out, b, len(again), err)
			}
		}
	})
}
