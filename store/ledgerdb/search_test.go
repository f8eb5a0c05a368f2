package ledgerdb

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestALongLedgerIsSearched searches the tasks of an owner who has more than SQLite and
// PostgreSQL look at one by one.
func TestALongLedgerIsSearched(t *testing.T) {
	const limit = 3
	for name, engine := range map[string]struct {
		open func(*testing.T) *Store
		n    int
	}{"SQLite": {openTemp, shortLedger + 500}, "PostgreSQL": {openSchema, maxLatest + 500}} {
		t.Run(name, func(t *testing.T) {
			db, n := engine.open(t), engine.n
			handles := fill(t, db, n, n)
			find := func(words ...string) (found []string) {
				tasks, err := db.FindTasks(t.Context(), "owner-0", words, limit)
				if err != nil {
					t.Fatalf("%q: %v", words, err)
				}
				for _, task := range tasks {
					found = append(found, task.TaskID)
				}
				return found
			}
			last := []string{handles[n-1], handles[n-2], handles[n-3]}
			for _, c := range []struct {
				words, want []string
			}{
				{[]string{"result", "number"}, last}, // which all have
				{[]string{"result", "num"}, last},
				{[]string{"0"}, handles[:1]}, // the first, and no other begins so
				{[]string{"0", "number"}, handles[:1]},
				{[]string{"number", "0"}, handles[:1]},
				{[]string{"0", "1234"}, nil},
				{[]string{"nowhere"}, nil},
				{[]string{"nowhere", "number"}, nil},
			} {
				if found := find(c.words...); !slices.Equal(found, c.want) {
					t.Errorf("%q: got %q, want %q", c.words, found, c.want)
				}
			}
			many := find("result", "7") // hundreds of words begin so
			for _, handle := range many {
				if i := slices.Index(handles, handle); !strings.HasPrefix(fmt.Sprint(i), "7") {
					t.Errorf("got the task of number %d for one that begins with 7", i)
				}
			}
			if len(many) != limit {
				t.Errorf("got %q, want %d tasks", many, limit)
			}
		})
	}
}
