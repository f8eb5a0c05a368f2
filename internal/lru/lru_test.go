package lru

import "testing"

// TestACacheForgetsWhatWasNotUsedForLongest fills a cache and uses the first
// half of it, so that what comes then drives out the second half, in order.
func TestACacheForgetsWhatWasNotUsedForLongest(t *testing.T) {
	var c Cache[int, int]
	for i := range Size {
		c.Put(i, i)
	}
	for i := range Size / 2 {
		if v, ok := c.Get(i); !ok || v != i {
			t.Fatalf("%d: got %d, %v before the cache was full", i, v, ok)
		}
	}
	c.Drop(0)
	c.Put(1, -1)
	for i := range Size/2 + 1 {
		c.Put(Size+i, 0)
	}
	kept := 0
	for i := range 2 * Size {
		_, ok := c.Get(i)
		wanted := i > 0 && i < Size/2 || i >= Size && i <= Size+Size/2
		if ok != wanted {
			t.Errorf("%d: got it kept %v, want %v", i, ok, wanted)
		}
		if ok {
			kept++
		}
	}
	if v, _ := c.Get(1); kept != Size || v != -1 {
		t.Errorf("got %d entries and %d, want %d and the value put last", kept, v, Size)
	}
	c.Update(1, func(old int) int { return old - 1 })
	if v, _ := c.Get(1); v != -2 {
		t.Errorf("got %d after the update, want -2", v)
	}
}
