package a2aauth

// Held tells of how many users tokens are kept.
func (t *Tokens) Held() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.held)
}
