package oauth

import "testing"

// TestACacheForgetsWhatWasNotUsedForLongest fills a cache and uses the first
// half of it, so that what comes then drives out the second half, in order.
func TestACacheForgetsWhatWasNotUsedForLongest(t *testing.T) {
	var c cache[int, int]
	for i := range maxCached {
		c.put(i, i)
	}
	for i := range maxCached / 2 {
		if v, ok := c.get(i); !ok || v != i {
			t.Fatalf("%d: got %d, %v before the cache was full", i, v, ok)
		}
	}
	c.drop(0)
	c.put(1, -1)
	for i := range maxCached/2 + 1 {
		c.put(maxCached+i, 0)
	}
	kept := 0
	for i := range 2 * maxCached {
		_, ok := c.get(i)
		wanted := i > 0 && i < maxCached/2 || i >= maxCached && i <= maxCached+maxCached/2
		if ok != wanted {
			t.Errorf("%d: got it kept %v, want %v", i, ok, wanted)
		}
		if ok {
			kept++
		}
	}
	if v, _ := c.get(1); kept != maxCached || v != -1 {
		t.Errorf("got %d entries and %d, want %d and the value put last", kept, v, maxCached)
	}
	c.update(1, func(old int) int { return old - 1 })
	if v, _ := c.get(1); v != -2 {
		t.Errorf("got %d after the update, want -2", v)
	}
}
