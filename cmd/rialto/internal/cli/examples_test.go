package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestEachCommandHasAnExampleThatParses reads each example as the program would, up to the point
// where it would act.
func TestEachCommandHasAnExampleThatParses(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			walk(c)
			if c.HasSubCommands() && !strings.HasPrefix(c.Use, "audit") || c.Name() == "help" || c.Name() == "completion" {
				continue
			}
			if !writesJSON(c) {
				t.Errorf("%s has no --json", c.CommandPath())
			}
			if c.Example == "" {
				t.Errorf("%s has no example", c.CommandPath())
			}
			for line := range strings.Lines(c.Example) {
				parse(t, c, words(line))
			}
		}
	}
	walk(Command(func(time.Duration) {}))
}

// writesJSON: all commands do but those that run a server or serve a host, and the one that prints a token.
func writesJSON(c *cobra.Command) bool {
	return c.Flags().Lookup("json") != nil || slices.Contains([]string{"serve", "demo", "stdio", "tableexpert", "token"}, c.Name())
}

// parse reads a command line with a new program, because flags keep their values.
func parse(t *testing.T, of *cobra.Command, line []string) {
	t.Helper()
	root := Command(func(time.Duration) {})
	cmd, rest, err := root.Find(line[1:])
	if err == nil && cmd.CommandPath() != of.CommandPath() {
		t.Errorf("%q is an example of %s", line, of.CommandPath())
	}
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err != nil || line[0] != "rialto" {
		t.Errorf("%q: %v", line, err)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			t.Errorf("%s --%s is not described", cmd.CommandPath(), f.Name)
		}
	})
}

// words splits a line as a shell does, for what the examples use of it.
func words(line string) (all []string) {
	for i, part := range strings.Split(strings.TrimSpace(line), `"`) {
		if i%2 == 0 {
			all = append(all, strings.Fields(part)...)
		} else if n := len(all) - 1; strings.HasSuffix(all[n], "=") {
			all[n] += part
		} else {
			all = append(all, part)
		}
	}
	return all
}
