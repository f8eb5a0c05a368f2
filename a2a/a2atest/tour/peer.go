package tour

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
)

// Peer is an SDK.
type Peer struct {
	// Serve returns the agent, whose card says that it is at url.
	Serve func(url string, gate *Gate) (http.Handler, error)

	// Dial returns a client of the agent whose place is url, by its card if the
	// SDK can. The token, if there is one, goes with each call; web sends it.
	Dial func(ctx context.Context, url, token string, web *http.Client) (Client, error)
}

// Gate holds what waits at an agent.
type Gate struct {
	mu     sync.Mutex
	closed chan struct{}
}

// Passed is closed when the caller may continue.
func (g *Gate) Passed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed == nil {
		g.closed = make(chan struct{})
	}
	return g.closed
}

// Open lets everybody go on who waits now.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		close(g.closed)
		g.closed = nil
	}
}

// Main is the command of a peer. With the argument "serve" it serves the agent,
// and says where in the first line of its output; with "tour", it does with the
// agent at RIALTO_URL what a client does, and says what went well; with "watch", it streams the message
// RIALTO_TEXT and says each event, declaring the extension RIALTO_EXTENSION if there is one.
func (p Peer) Main(arguments []string) {
	log.SetFlags(0)
	switch {
	case len(arguments) == 1 && arguments[0] == "serve":
		log.Fatal(p.serve())
	case len(arguments) == 1 && arguments[0] == "tour":
		if err := p.tour(context.Background()); err != nil {
			log.Fatal(err)
		}
	case len(arguments) == 1 && arguments[0] == "watch":
		if err := p.watch(context.Background()); err != nil {
			log.Fatal(err)
		}
	default:
		log.Fatal("want serve, tour or watch")
	}
}

func (p Peer) serve() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	gate, url := &Gate{}, "http://"+l.Addr().String()
	agent, err := p.Serve(url, gate)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", agent)
	mux.HandleFunc("POST /release", func(http.ResponseWriter, *http.Request) { gate.Open() })
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"url": url}); err != nil {
		return err
	}
	return http.Serve(l, mux)
}

func (p Peer) dial(ctx context.Context) (Client, error) {
	token := os.Getenv("RIALTO_TOKEN")
	c, err := p.Dial(ctx, os.Getenv("RIALTO_URL"), token, &http.Client{Transport: bearer(token)})
	if err != nil {
		return nil, fmt.Errorf("dialling: %w", err)
	}
	return c, nil
}

func (p Peer) watch(ctx context.Context) error {
	c, err := p.dial(ctx)
	if err != nil {
		return err
	}
	for seen, err := range c.Stream(ctx, Message{Text: os.Getenv("RIALTO_TEXT")}) {
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
			return err
		}
	}
	return nil
}

func (p Peer) tour(ctx context.Context) error {
	c, err := p.dial(ctx)
	if err != nil {
		return err
	}
	tour{Client: c, release: os.Getenv("RIALTO_RELEASE")}.run(ctx, os.Stdout, os.Stderr)
	return nil
}

// bearer puts a token on every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	if extension := os.Getenv("RIALTO_EXTENSION"); extension != "" {
		r.Header.Set("A2A-Extensions", extension)
	}
	return http.DefaultTransport.RoundTrip(r)
}
