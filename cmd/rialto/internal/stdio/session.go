package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// session is the session of a host that speaks a revision before 2026-07-28. If the server loses
// it, it begins another, and the host does not notice.
type session struct {
	mu        sync.Mutex
	id        string
	version   string   // that was agreed on
	greeting  *message // initialize, as the host wrote it
	confirmed bool     // the host has sent notifications/initialized
	listening bool     // a stream for requests of the server is open
	renewals  int
}

func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = ""
	s.version = ""
	s.confirmed = false
}

func (s *session) current() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

func (s *session) setHeaders(h http.Header, m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		h.Set(gomcp.HeaderSessionID, s.id)
	}
	if s.version != "" && m.method != "initialize" {
		h.Set(gomcp.HeaderProtocolVersion, s.version)
	}
}

// begin takes the session that the reply to an initialize names.
func (s *session) begin(greeting *message, r *reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = r.session
	s.greeting = greeting
}

// agreed takes the revision from the result of an initialize.
func (s *session) agreed(m *message) {
	var result struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(m.result, &result) // else it names none
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = result.Version
}

// initialized opens the stream on which the server may send requests and notifications.
func (s *session) initialized(ctx context.Context, p *Proxy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confirmed = true
	if s.version != "" && !s.listening {
		s.listening = true
		go s.listen(ctx, p)
	}
}

// Pauses before the stream is opened again.
const (
	firstPause = time.Second
	maxPause   = 30 * time.Second
)

// listen keeps the stream open for as long as the server offers one.
func (s *session) listen(ctx context.Context, p *Proxy) {
	lastID := ""
	of := "" // the session that lastID is of
	pause := firstPause
	for {
		id := s.current()
		if id != of {
			of = id
			lastID = ""
		}
		r, err := p.get(ctx, lastID)
		switch {
		case err != nil:
		case r.events != nil:
			pause = firstPause
			_, _ = p.passAll(nil, r) // the end of a stream is no news
			lastID = r.events.LastID()
			if r.events.Retry() > 0 {
				pause = min(r.events.Retry(), maxPause)
			}
		case id != "" && r.lostSession():
			_ = s.renew(ctx, p, id) // it is tried again after a pause
		case r.status < http.StatusInternalServerError: // the server has no such stream
			s.mu.Lock()
			s.listening = false
			s.mu.Unlock()
			return
		}
		if sleep(ctx, pause) != nil {
			return
		}
		pause = min(2*pause, maxPause)
	}
}

// renew begins a session in the place of a lost one, with the greeting of the host under an id of
// our own.
func (s *session) renew(ctx context.Context, p *Proxy, lost string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != lost {
		return nil // another request was first
	}

	ctx, cancel := context.WithTimeout(ctx, firstTimeout)
	defer cancel()
	s.renewals++
	id := jsonrpc.StringID(fmt.Sprint("rialto-initialize-", s.renewals))
	request := &jsonrpc.Request{ID: id, Method: s.greeting.method, Params: s.greeting.params}
	r, err := p.send(ctx, request.Append(nil), http.Header{})
	if err != nil {
		return fmt.Errorf("beginning another session: %w", err)
	}
	answer, err := r.answer()
	if err != nil {
		return fmt.Errorf("beginning another session: %w", err)
	}
	if answer.result == nil || r.session == "" {
		return errors.New("the server has lost the session and begins no other")
	}

	s.id = r.session
	p.log("the server has lost the session; another was begun")
	if !s.confirmed {
		return nil
	}

	confirm := &jsonrpc.Request{Method: "notifications/initialized"}
	r, err = p.send(ctx, confirm.Append(nil), http.Header{
		gomcp.HeaderSessionID:       {s.id},
		gomcp.HeaderProtocolVersion: {s.version},
	})
	if err != nil {
		return err
	}

	r.body.Close()
	return r.refusal()
}

// endSession ends the session with the host.
func (p *Proxy) endSession(ctx context.Context) {
	if p.session.current() == "" {
		return
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, p.URL, nil)
	if err != nil {
		return
	}

	p.session.setHeaders(r.Header, &message{})
	reply, err := p.do(r)
	if err == nil {
		reply.body.Close()
	}
}
