package config

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"rialto/bridge/operator"
)

var update = flag.Bool("update", false, "rewrite the tables of the documentation")

// TestTable compares the table of settings with the fields of Config.
func TestTable(t *testing.T) {
	var listed []string
	for _, part := range table() {
		for _, s := range part {
			listed = append(listed, s.Keys()...)
			if s.Doc == "" || s.Default != "" && s.Shown != "" || strings.Contains(s.Doc, "|") {
				t.Errorf("%s: write a Doc without a |, and one default", s.Key)
			}
			if s.Default == "false" != (Type(s.Key).Kind() == reflect.Bool && s.Default != "true") {
				t.Errorf("%s: its default is %q", s.Key, s.Default)
			}
		}
	}
	fields := leaves(reflect.TypeFor[Config](), "")
	slices.Sort(listed)
	slices.Sort(fields)
	if !slices.Equal(listed, fields) {
		for _, key := range listed {
			if !slices.Contains(fields, key) {
				t.Errorf("the table lists %s, which is no field of Config", key)
			}
		}
		for _, key := range fields {
			if !slices.Contains(listed, key) {
				t.Errorf("the table does not list %s", key)
			}
		}
		t.Errorf("got %d settings, want %d", len(listed), len(fields))
	}
}

// leaves lists the keys of a struct whose values are no structs.
func leaves(t reflect.Type, prefix string) (all []string) {
	for _, f := range settingFields(t) {
		key := f.Tag.Get("koanf")
		if key == "" || key == "-" {
			continue
		}
		key = prefix + key
		switch ft := f.Type; {
		case ft.Kind() == reflect.Struct:
			all = append(all, leaves(ft, key+".")...)
		case ft.Kind() == reflect.Slice && ft.Elem().Kind() == reflect.Struct:
			all = append(all, leaves(ft.Elem(), key+"[].")...)
		default:
			all = append(all, key)
		}
	}
	return all
}

// TestEverySettingHasAVariable sets each through the environment, and looks for it among the
// settings in force. In a list it is that of the first item: RIALTO_AGENTS_0_URL.
func TestEverySettingHasAVariable(t *testing.T) {
	type one struct {
		key    string
		secret bool
	}
	for _, part := range table() {
		var all []one
		for _, s := range part {
			for _, key := range s.Keys() {
				all = append(all, one{key, s.Secret})
			}
		}
		for _, s := range all {
			value := map[reflect.Kind]string{reflect.Bool: "true", reflect.Int64: "3d", reflect.Int: "7"}[Type(s.key).Kind()]
			if Type(s.key) == reflect.TypeFor[Size]() {
				value = "3MiB"
			}
			if value == "" {
				value = "value"
			}
			k := koanf.New(".")
			variable := "RIALTO_" + strings.ToUpper(strings.NewReplacer("[].", "_0_", ".", "__").Replace(s.key))
			var c Config
			if err := fillFromEnvironment(k, []string{variable + "=" + value}); err != nil {
				t.Fatal(err)
			}
			if err := decode(k, &c); err != nil {
				t.Fatal(err)
			}
			if s.secret {
				value = hiddenValue
			}
			key := strings.ReplaceAll(s.key, "[]", "[0]")
			if got := c.Settings(); !slices.ContainsFunc(got, func(in operator.Setting) bool { return in.Key == key && in.Value == value }) {
				t.Errorf("%s=%s: got %+v", variable, value, got)
			}
		}
	}
}

// TestEveryFlagSetsItsSetting sets each setting of an agent that has a flag.
func TestEveryFlagSetsItsSetting(t *testing.T) {
	for _, s := range AgentFlags() {
		value := map[reflect.Kind]any{reflect.Bool: true, reflect.Int64: "3d", reflect.Slice: []string{"value"}}[Type(s.Key).Kind()]
		if value == nil {
			value = "value"
		}
		var a Agent
		if err := SetAgent(&a, map[string]any{s.Key: value}); err != nil {
			t.Fatal(err)
		}
		in := (&Config{Agents: []Agent{a}}).Settings()
		want := strings.Trim(fmt.Sprint(value), "[]")
		if !slices.ContainsFunc(in, func(x operator.Setting) bool {
			return x.Key == strings.Replace(s.Key, "[]", "[0]", 1) && x.Value == want
		}) {
			t.Errorf("--%s %v: got %+v", s.Flag, value, in)
		}
	}
}

func TestAListOfAnAgentCanBeEmptied(t *testing.T) {
	a := Agent{Name: "one", UseCases: []string{"claims", "sales"}}
	if err := SetAgent(&a, map[string]any{"agents[].use_cases": []string{}}); err != nil || len(a.UseCases) != 0 || a.Name != "one" {
		t.Errorf("got %+v, %v", a, err)
	}
}

// TestTheDocumentationHasTheTable compares the tables of the documentation.
func TestTheDocumentationHasTheTable(t *testing.T) {
	section := regexp.MustCompile(`(?s)(<!-- settings: (\w+) -->\n)(.*?)(<!-- end of settings -->)`)
	found := map[string]bool{}
	for _, file := range []string{"../../../../docs/configuration.md", "../../../../docs/sign-in.md"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := section.ReplaceAllStringFunc(string(b), func(old string) string {
			m := section.FindStringSubmatch(old)
			found[m[2]] = true
			return m[1] + rows(table()[m[2]]) + m[4]
		})
		if text == string(b) {
			continue
		}
		if !*update {
			t.Errorf("%s differs from the table of settings: run go test ./cmd/rialto/internal/config -update", file)
		} else if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name := range table() {
		if !found[name] {
			t.Errorf("no document has the table %q", name)
		}
	}
}

func rows(all []Setting) string {
	var b strings.Builder
	b.WriteString("| key | default | meaning |\n|---|---|---|\n")
	for _, s := range all {
		shown := s.Shown
		if s.Default != "" {
			shown = "`" + s.Default + "`"
		}
		doc := s.Doc
		if s.Live {
			doc += " *Live.*"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.Join(s.Keys(), "`, `"), shown, doc)
	}
	return b.String()
}

func TestDefaultsAreThoseOfTheTable(t *testing.T) {
	c, err := Load("", nil, &pflag.FlagSet{})
	if err != nil {
		t.Fatal(err)
	}
	d := Defaults()
	if c.Listen != "127.0.0.1:8080" || d.Links.DownloadLinks.Hours() != 24 || !d.SignIn.Local || !d.MCP.PublicListing || d.Audit.Retention.Hours() != 365*24 || d.Push.Receive {
		t.Errorf("got %+v", d)
	}
}
