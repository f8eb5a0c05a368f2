package sqlbox

import (
	"slices"
	"strings"
)

// SQLite writes a common table expression out wherever it is used, and puts
// the expressions of a subquery in place of its columns when it merges the
// subquery into the query around it. So a few hundred bytes can become
// gigabytes before the first step runs: each of twenty table expressions that
// uses the one before twice doubles it, and so does each of twenty nested
// queries that say a+a. While it compiles, SQLite looks at neither the clock
// nor the authorizer, so we estimate first what a statement would grow to.
const (
	maxSelects = 400     // in the statement, written out
	maxGrowth  = 1 << 18 // of an expression through nested queries
)

// outline is what the estimate needs of a statement.
type outline struct {
	tokens []string
	closes []int             // for each opening parenthesis, where its partner is
	bodies map[int]bool      // the opening parentheses of table expressions
	named  map[string][]body // the table expressions, by name
	growth map[int]float64   // sizes of queries, by their first token

	selects int
	active  []int // bodies that are being written out
}

// body is the text of a table expression: tokens first up to but not
// including last.
type body struct{ first, last int }

// outlineOf finds the table expressions of a statement.
func outlineOf(sql string) *outline {
	o := &outline{bodies: map[int]bool{}, named: map[string][]body{}, growth: map[int]float64{}}
	for tok, rest := nextToken(sql); tok != ""; tok, rest = nextToken(rest) {
		o.tokens = append(o.tokens, fold(tok))
	}

	o.pairParentheses()
	for i := range o.tokens {
		if name, open := o.definition(i); open > 0 {
			o.bodies[open] = true
			o.named[name] = append(o.named[name], body{open + 1, o.closes[open]})
		}
	}

	return o
}

// A quoted token is folded to what it quotes, behind a mark that keeps it from
// being taken for a keyword. Strings are among them: SQLite takes 'a' for a
// name where only a name can stand.
const (
	quotedName = "\x00"
	quotedText = "\x01"
)

// fold makes names comparable.
func fold(tok string) string {
	mark := quotedName
	switch q := tok[0]; q {
	case '\'':
		mark = quotedText
		fallthrough
	case '"', '`':
		tok = strings.TrimSuffix(tok[1:], string(q))
		return mark + strings.ToLower(strings.ReplaceAll(tok, string([]byte{q, q}), string(q)))
	case '[':
		return mark + strings.ToLower(strings.TrimSuffix(tok[1:], "]"))
	}

	return strings.ToLower(tok)
}

// pairParentheses fills closes. What is never closed reaches to the end.
func (o *outline) pairParentheses() {
	o.closes = make([]int, len(o.tokens))
	var open []int
	for i, tok := range o.tokens {
		o.closes[i] = len(o.tokens)
		switch {
		case tok == "(":
			open = append(open, i)
		case tok == ")" && len(open) > 0:
			o.closes[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
}

// definition returns the name of the table expression whose AS is token i,
// and where its body opens: name [(columns)] AS [[NOT] MATERIALIZED] (query).
func (o *outline) definition(i int) (name string, open int) {
	if o.tokens[i] != "as" || i == 0 {
		return "", 0
	}

	open = i + 1
	for open < len(o.tokens) && (o.tokens[open] == "not" || o.tokens[open] == "materialized") {
		open++
	}

	if !o.isSubquery(open) {
		return "", 0
	}

	at := i - 1
	if o.tokens[at] == ")" {
		at = slices.Index(o.closes, at) - 1
	}
	if at < 0 {
		return "", 0
	}

	return unquoted(o.tokens[at]), open
}

func unquoted(tok string) string { return strings.TrimLeft(tok, quotedName+quotedText) }

// isSubquery reports whether token i opens a subquery.
func (o *outline) isSubquery(i int) bool {
	if i+1 >= len(o.tokens) || o.tokens[i] != "(" {
		return false
	}
	return slices.Contains([]string{"select", "values", "with"}, o.tokens[i+1])
}

// defines reports whether the statement has a table expression with this name.
func (o *outline) defines(name string) bool { return len(o.named[strings.ToLower(name)]) > 0 }

// check fails where the statement would grow too much.
func (o *outline) check() error {
	return o.expand(body{0, len(o.tokens)}, 1)
}

// expand goes through a query as if it were written out. growth is how many
// times an expression of this query may appear in the one around it.
func (o *outline) expand(b body, growth float64) error {
	o.selects++
	growth *= o.repeats(b)
	if o.selects > maxSelects || growth > maxGrowth {
		return errorf(
			TooLarge,
			"the query nests too deeply: its subqueries and WITH expressions use one another so often that it grows out of bounds; use fewer levels",
		)
	}
	for i := b.first; i < b.last; i++ {
		var err error
		switch {
		case o.bodies[i]:
			i = o.closes[i]
		case o.isSubquery(i):
			err = o.expand(body{i + 1, o.closes[i]}, growth)
			i = o.closes[i]
		case o.isReference(i):
			err = o.expandNamed(o.tokens[i], growth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expandNamed goes through the table expressions called name. One that refers
// to itself is recursive and not written out again.
func (o *outline) expandNamed(name string, growth float64) error {
	for _, b := range o.named[unquoted(name)] {
		if slices.Contains(o.active, b.first) {
			continue
		}
		o.active = append(o.active, b.first)
		err := o.expand(b, growth)
		o.active = o.active[:len(o.active)-1]
		if err != nil {
			return err
		}
	}
	return nil
}

// isReference reports whether token i names a table expression, and not its
// definition or a column of it.
func (o *outline) isReference(i int) bool {
	if len(o.named[unquoted(o.tokens[i])]) == 0 || o.at(i+1) == "." || o.at(i-1) == "." ||
		o.at(i-1) == "as" {
		return false
	}

	after := i + 1
	if o.at(after) == "(" {
		after = o.closes[after] + 1
	}

	defined := o.bodies[after+1] || o.bodies[after+2] || o.bodies[after+3]
	return o.at(after) != "as" || !defined
}

func (o *outline) at(i int) string {
	if i < 0 || i >= len(o.tokens) {
		return ""
	}
	return o.tokens[i]
}

// repeats returns how often a query itself, with the subqueries in its
// expressions, uses the column that it uses most. A subquery after a comma counts
// as one in an expression, which only makes the estimate larger.
func (o *outline) repeats(b body) float64 {
	if n, ok := o.growth[b.first]; ok {
		return n
	}

	counts := map[string]int{}
	most := 1
	for i := b.first; i < b.last; i++ {
		tok := o.tokens[i]
		before := o.at(i - 1)
		isSource := (before == "from" || before == "join") && o.isSubquery(i)
		if o.bodies[i] || isSource {
			i = o.closes[i]
			continue
		}
		if !o.isColumn(i) {
			continue
		}
		counts[unquoted(tok)]++
		most = max(most, counts[unquoted(tok)])
	}

	o.growth[b.first] = float64(most)
	return float64(most)
}

// isColumn reports whether token i may be the name of a column.
func (o *outline) isColumn(i int) bool {
	tok := o.tokens[i]
	switch {
	case strings.HasPrefix(tok, quotedName):
		return true
	case !wordByte(tok[0]), '0' <= tok[0] && tok[0] <= '9':
		return false
	case o.at(i+1) == ".", o.at(i+1) == "(", o.at(i-1) == "as":
		return false
	}

	return !strings.Contains(keywords, " "+tok+" ")
}

// keywords are those that stand often where a column could; one that is
// missing only makes the estimate larger.
const keywords = ` select distinct from where group by order having limit offset as and or not in is null
 case when then else end between like glob escape collate asc desc nulls first last join left right
 full inner outer cross natural on using union all except intersect with recursive values cast
 over partition rows range groups preceding following unbounded current row filter window exists
 true false materialized integer text real numeric `
