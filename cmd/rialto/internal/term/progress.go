package term

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress is a line on a terminal that says what a command is doing and for how long. It appears
// after a second. The zero Progress writes nothing.
type Progress struct {
	to    io.Writer
	style Style

	mu    sync.Mutex
	what  string
	began time.Time
	shown bool
	stop  chan struct{}
}

// Start returns a progress line on w, which does nothing if w is not a terminal. Stop it.
func Start(w io.Writer, what string) *Progress {
	p := &Progress{what: what, began: time.Now()}
	if !Is(w) {
		return p
	}
	p.to, p.style, p.stop = w, StyleOf(w), make(chan struct{})
	go p.run(p.stop)
	return p
}

func (p *Progress) run(stop chan struct{}) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			p.show(now)
		}
	}
}

// maxShown keeps the line within most terminals: a longer one could not be cleared.
const maxShown = 70

func (p *Progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := now.Sub(p.began)
	if p.stop == nil || took < time.Second {
		return
	}

	p.shown = true
	what := []rune(p.what)
	if len(what) > maxShown {
		what = append(what[:maxShown-1], '…')
	}

	fmt.Fprintf(
		p.to,
		"\r\x1b[K%s %s",
		p.style.Dim(took.Truncate(time.Second).String()),
		string(what),
	)
}

// Say replaces what the line says.
func (p *Progress) Say(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

// Stop clears the line. It may be called more than once.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop == nil {
		return
	}

	close(p.stop)
	p.stop = nil
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
