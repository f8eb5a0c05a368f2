package directhttp

import "net/http"

// Takes reports whether a request goes our way.
func (t *Transport) Takes(req *http.Request) bool { return t.takes(req) }

// Idle returns how many connections no call uses, and of how many of them the peer
// has been heard since.
func (t *Transport) Idle() (all, heard int) {
	t.idle.mu.Lock()
	defer t.idle.mu.Unlock()
	for _, list := range t.idle.conns {
		for _, c := range list {
			all++
			if !quiet(c.raw) {
				heard++
			}
		}
	}
	return all, heard
}
