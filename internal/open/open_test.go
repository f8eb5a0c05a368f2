package open

import (
	"sync"
	"testing"
)

func TestAKeyHasItsBoundAndNothingIsLeftBehind(t *testing.T) {
	var c Counter[string]
	for i, want := range []bool{true, true, false} {
		if c.Enter("a", 2) != want {
			t.Errorf("a, %d: want %t", i, want)
		}
	}
	if !c.Enter("b", 2) {
		t.Error("want b beside a")
	}
	c.Leave("a")
	if !c.Enter("a", 2) || c.All() != 3 {
		t.Errorf("got %d open, want 3 after one has left", c.All())
	}
	for _, key := range []string{"a", "a", "b"} {
		c.Leave(key)
	}
	if c.All() != 0 || len(c.of) != 0 {
		t.Errorf("got %d open and %d keys", c.All(), len(c.of))
	}
}

func TestNoMoreEnterAtOnceThanTheBound(t *testing.T) {
	var c Counter[int]
	var all sync.WaitGroup
	entered := make(chan struct{}, 100)
	for range 100 {
		all.Go(func() {
			if c.Enter(1, 10) {
				entered <- struct{}{}
			}
		})
	}
	all.Wait()
	if len(entered) != 10 {
		t.Errorf("%d entered, want 10", len(entered))
	}
}
