package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"

	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
)

// cellText makes a text of others fit into one cell of a table.
func cellText(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, sanitize.Text(s))
	return strings.TrimSpace(sanitize.Truncate(s, most))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// formatCount formats a number that is counted up to a limit.
func formatCount(n int) string {
	if n >= operator.MostCounted {
		return strconv.Itoa(operator.MostCounted) + "+"
	}
	return strconv.Itoa(n)
}

// writeJSON prints JSON without control characters, which agents could use to steer a terminal.
func writeJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(sanitize.JSON(b.Bytes()))
	return err
}
