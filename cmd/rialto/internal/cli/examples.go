package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
)

// examples has one or more command lines for each command; a test reads each of them.
//
//go:embed examples.txt
var examples string

// addExamples gives each command below root its examples.
func addExamples(root *cobra.Command) {
	for line := range strings.Lines(strings.TrimSpace(examples)) {
		words := strings.Fields(line)[1:]
		cmd, _, err := root.Find(words)
		must(err)
		cmd.Example = strings.TrimLeft(cmd.Example+"\n  "+strings.TrimSpace(line), "\n")
	}
}
