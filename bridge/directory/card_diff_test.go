package directory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rialto/bridge/directory"
)

// TestWhatHasChangedInACardIsShownWhereItHas has pairs of cards, and what of them is
// shown: what an operator does not see, they cannot judge.
func TestWhatHasChangedInACardIsShownWhereItHas(t *testing.T) {
	skills := func(description string) string {
		return `{"skills":[{"id":"a","description":"` + strings.Repeat("x", 10_000) + `"},{"id":"b","description":"` + description + `"}]}`
	}
	long := strings.Repeat("x", 20_000)
	for name, test := range map[string]struct {
		was, is string
		want    []string
	}{
		"nothing":                     {`{"a":1, "b":[]}`, `{"b":[],"a":1}`, nil},
		"a skill behind a long one":   {skills("good"), skills("evil"), []string{`skills["b"].description: "good" > "evil"`}},
		"a skill that is new":         {`{"skills":[{"id":"a"}]}`, `{"skills":[{"id":"a"},{"id":"b","tags":["x","y"]}]}`, []string{`skills["b"].id:  > "b"`, `skills["b"].tags:  > ["x","y"]`, `skills[]: ["a"] > ["a","b"]`}},
		"skills in another order":     {`{"skills":[{"id":"a"},{"id":"b"}]}`, `{"skills":[{"id":"b"},{"id":"a"}]}`, []string{`skills[]: ["a","b"] > ["b","a"]`}},
		"an id that is there twice":   {`{"skills":[{"id":"a","x":1}]}`, `{"skills":[{"id":"a","x":1},{"id":"a","x":2}]}`, []string{`skills["a"].id: "a" > `, `skills["a"].x: 1 > `, `skills[0].id:  > "a"`, `skills[0].x:  > 1`, `skills[1].id:  > "a"`, `skills[1].x:  > 2`, `skills[]: ["a"] > 2`}},
		"a member with a path's name": {`{"a":{"b":1}}`, `{"a.b":1}`, []string{`"a.b":  > 1`, `a.b: 1 > `}},
		"what nobody sees":            {`{"a":"x"}`, "{\"a\":\"x\u202e\U000e0041\"}", []string{`a: "x" > "x\u202e\udb40\udc41"`}},
		"the end of a long text":      {`{"a":"` + long + `y"}`, `{"a":"` + long + `z"}`, []string{`a: (19941 characters as before)… ` + long[:60] + `y" > (19941 characters as before)… ` + long[:60] + `z"`}},
		"what is no JSON":             {`{}`, `{`, []string{`: {} > `, `all of it:  > {`}},
	} {
		t.Run(name, func(t *testing.T) {
			list, more := directory.Differences([]byte(test.was), []byte(test.is), 100)
			var got []string
			for _, d := range list {
				got = append(got, fmt.Sprintf("%s: %s > %s", d.Path, d.Was, d.Is))
			}
			if !slices.Equal(got, test.want) || more != 0 {
				t.Errorf("got\n%s\nand %d more, want\n%s", strings.Join(got, "\n"), more, strings.Join(test.want, "\n"))
			}
		})
	}
	if list, more := directory.Differences([]byte(`{}`), []byte(`{"a":1,"b":2,"c":"`+long+`"}`), 2); len(list) != 2 || more != 2 {
		t.Errorf("got %v and %d more, want two and the others counted", list, more)
	}
}
