package sqlbox

import (
	"strings"
	"unicode/utf8"
)

// maxStatement bounds the text of a statement, and with it the number of
// values that the compiled statement can hold at once.
const maxStatement = 16 << 10

// check refuses a text that is not one reading statement. It is lexical: it
// follows SQLite's tokenizer in what is a comment, a string and a name, and
// looks at keywords only. What it lets through still has to pass SQLite's
// parser and the authorizer.
func check(sql string) error {
	switch {
	case len(sql) > maxStatement:
		return errorf(
			TooLarge,
			"the statement is %d bytes long; at most %d are taken",
			len(sql),
			maxStatement,
		)
	case strings.IndexByte(sql, 0) >= 0:
		// SQLite would stop reading here, and so run another text than the
		// one that was checked.
		return errorf(BadSQL, "the statement contains a NUL character")
	case !utf8.ValidString(sql):
		return errorf(BadSQL, "the statement is not valid UTF-8")
	}

	words, err := topWords(sql)
	if err != nil {
		return err
	}

	switch verb := verbOf(words); verb {
	case "SELECT", "VALUES":
		return nil
	case "":
		return errorf(NotOne, "there is no statement; send one SELECT")
	default:
		return errorf(
			NotRead,
			"%s is not available: the tables are read-only; send one SELECT, WITH … SELECT, VALUES or EXPLAIN QUERY PLAN",
			Clip(verb, 20),
		)
	}
}

// topWords returns the tokens of the one statement in sql that stand outside
// parentheses, in upper case. It fails where anything but space, comments and
// semicolons follows the first semicolon.
func topWords(sql string) ([]string, error) {
	var words []string
	depth := 0
	ended := false
	for tok, rest := nextToken(sql); tok != ""; tok, rest = nextToken(rest) {
		switch {
		case tok == ";":
			ended = ended || len(words) > 0
		case ended:
			return nil, errorf(
				NotOne,
				"there is more than one statement; send one at a time, with nothing after the semicolon",
			)
		case tok == ")":
			depth--
		case depth == 0:
			words = append(words, strings.ToUpper(tok))
		}
		if tok == "(" {
			depth++
		}
	}

	return words, nil
}

// verbOf returns the keyword that says what a statement does: of WITH, the
// one after the common table expressions; of EXPLAIN QUERY PLAN, the one that
// is explained.
func verbOf(words []string) string {
	if len(words) > 3 && words[0] == "EXPLAIN" && words[1] == "QUERY" && words[2] == "PLAN" {
		words = words[3:]
	}
	if len(words) == 0 {
		return ""
	}
	if words[0] != "WITH" {
		return words[0]
	}

	for _, w := range words {
		switch w {
		case "SELECT", "VALUES", "INSERT", "UPDATE", "DELETE", "REPLACE":
			return w
		}
	}

	return "WITH"
}

// nextToken returns the first token of sql that is no space or comment, and what
// follows it; an empty token is the end. The rules are those of SQLite's
// tokenizer: '…', "…" and `…` quote with the quote doubled as the only
// escape, […] quotes without one, -- comments run to the end of the line and
// /* comments to */ without nesting, and what is not closed runs to the end
// or text that SQLite's parser refuses.
func nextToken(sql string) (token, rest string) {
	for sql != "" {
		n := 1
		switch c := sql[0]; {
		case strings.IndexByte(" \t\n\f\r", c) >= 0:
		case strings.HasPrefix(sql, "--"):
			n = indexAfter(sql, "\n", 2)
		case strings.HasPrefix(sql, "/*") && len(sql) > 2:
			n = indexAfter(sql, "*/", 2)
		case c == '\'' || c == '"' || c == '`':
			n = endOfQuoted(sql, c)
			return sql[:n], sql[n:]
		case c == '[':
			n = indexAfter(sql, "]", 1)
			return sql[:n], sql[n:]
		default:
			for wordByte(c) && n < len(sql) && wordByte(sql[n]) {
				n++
			}
			return sql[:n], sql[n:]
		}
		sql = sql[n:]
	}
	return "", ""
}

// indexAfter returns the index after the first end in s at or after from.
func indexAfter(s, end string, from int) int {
	i := strings.Index(s[from:], end)
	if i < 0 {
		return len(s)
	}
	return from + i + len(end)
}

// endOfQuoted returns the index after the string that starts s and is closed by
// quote.
func endOfQuoted(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(s)
}

// wordByte reports whether c can stand in a keyword or bare name: SQLite
// takes every byte above ASCII for a letter.
func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Clip shortens s to n characters.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
