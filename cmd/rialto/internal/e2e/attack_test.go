package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/oauth/oauthtest"
)

// Attacks. A test starts a siege, gives it an attack, and asks for what its honest users met:
//
//	s := newSiege(t, "")
//	s.withstand(t, func(ctx context.Context) {
//		s.flood(ctx, 500, func(ctx context.Context, i int64) int { return s.send(ctx, …) })
//	})
//
// An attack lasts two seconds, or as long as RIALTO_ATTACK says ("60s"). A run of ten seconds or
// more also holds the honest requests to maxHonest: a short one measures the start of the program.
// With RIALTO_ATTACK_REPLICAS the server has a second replica, and connections go to both by turns.

const (
	maxHonest  = 250 * time.Millisecond // p99 of honest requests, or three times that without the attack
	maxMemory  = 400 << 10              // KiB of the program
	hostedApp  = "https://chat.example/callback"
	hostedFrom = "198.18.0.1" // a hosted chat app calls for all its users from here
)

// attackTime is how long an attack lasts.
func attackTime(t *testing.T) time.Duration {
	t.Helper()
	said := os.Getenv("RIALTO_ATTACK")
	if said == "" {
		return 2 * time.Second
	}
	d, err := time.ParseDuration(said)
	if err != nil {
		t.Fatalf("RIALTO_ATTACK is %q, want a duration such as 60s", said)
	}
	return d
}

// siege is a server with honest users, for an attack on it.
type siege struct {
	p      *program
	config string // the file
	token  string // a user's, for every scope of the tools
	client string // a hosted chat app's, which registered itself
	http   *http.Client

	mu      sync.Mutex
	took    map[string][]time.Duration // by kind of honest request
	errors  []string
	strange map[int]int // answers to attackers, by status; 0 is no answer
	from    atomic.Uint32
}

// newSiege starts a server whose only agent answers at once, with more lines of configuration.
func newSiege(t *testing.T, more string) *siege {
	t.Helper()
	dir, addr := t.TempDir(), freeAddress(t)
	config := filepath.Join(dir, "rialto.yaml")
	database, replicas := filepath.Join(dir, "db"), os.Getenv("RIALTO_ATTACK_REPLICAS") != ""
	if replicas {
		database = oauthtest.PostgresSchema(t)
	}
	text := fmt.Sprintf("url: http://%s\ndatabase: %q\nsecret_file: %q\ntrusted_proxies: [127.0.0.0/8]\nagents:\n  - {name: weather, url: %q}\n%s\n", addr, database, filepath.Join(dir, "secret"), agentOf(t, &a2a.Card{Name: "Weather", Description: "Knows the weather.", Version: "1.0.0", Capabilities: a2a.Capabilities{Streaming: true}}, done), more)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--password-stdin", "--config", config)
	s := &siege{config: config, took: map[string][]time.Duration{}, strange: map[int]int{}}
	s.token = output(t, "", "token", "--user", username, "--ttl", "24h", "--config", config)
	s.p = start(t, addr, "serve", "--config", config, "--listen", addr)
	s.client = register(t, s.p, hostedApp)
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	if replicas {
		second := freeAddress(t)
		calls := "RIALTO_GRPC__LISTEN=" + freeAddress(t)
		startWith(t, second, []string{"RIALTO_DRAIN_TIMEOUT=0s", calls}, "serve", "--config", config, "--listen", second)
		transport.DialContext = byTurns(addr, second)
	}
	s.http = &http.Client{Transport: transport, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(s.http.CloseIdleConnections)
	return s
}

// byTurns connects to addresses by turns.
func byTurns(addrs ...string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	var turn atomic.Uint32
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addrs[turn.Add(1)%uint32(len(addrs))])
	}
}

// withstand lets an attack run beside honest traffic. It fails the test if an honest request got
// an error, waited for too long, or the program took too much memory. In full, it measures the honest
// traffic alone before: hashing a password takes long on purpose, so a request may also take three
// times as long as then.
func (s *siege) withstand(t *testing.T, attack func(ctx context.Context)) {
	t.Helper()
	length := attackTime(t)
	s.honest(t) // once before the attack, so that connections and caches are there
	full := length >= 10*time.Second
	alone := map[string][]time.Duration{}
	if full {
		s.traffic(t, length/4, func(context.Context) {})
		alone = s.took
	}
	s.took = map[string][]time.Duration{}
	s.traffic(t, length, attack)
	s.honest(t) // and once after it
	s.report(t, full, alone)
}

// traffic runs honest traffic beside an attack.
func (s *siege) traffic(t *testing.T, length time.Duration, attack func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() { attack(ctx) })
	for range 2 {
		all.Go(func() {
			tick := time.NewTicker(500 * time.Millisecond) // people are slower than that
			defer tick.Stop()
			for ctx.Err() == nil {
				s.honest(t)
				<-tick.C
			}
		})
	}
	all.Wait()
}

func (s *siege) report(t *testing.T, full bool, alone map[string][]time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.errors[:min(10, len(s.errors))] {
		t.Error(e)
	}
	for kind, took := range s.took {
		p99, before := percentile(took, 99), percentile(alone[kind], 99)
		t.Logf("%-10s %6d requests, p50 %v, p99 %v (%v without the attack), longest %v", kind, len(took), percentile(took, 50), p99, before, percentile(took, 100))
		most := max(maxHonest, 3*before)
		if full && p99 > most {
			t.Errorf("%s: got a p99 of %v, want at most %v", kind, p99, most)
		}
	}
	t.Logf("%d honest errors; attackers were answered by status %v", len(s.errors), s.strange)
	if runtime.GOOS == "linux" {
		peak := peakMemory(t, s.p)
		t.Logf("%d MiB of memory at most", peak>>10)
		if peak > maxMemory {
			t.Errorf("the program took %d KiB, want at most %d", peak, maxMemory)
		}
	}
}

// percentile returns the time below which so many of a hundred are, 0 if there are none.
func percentile(took []time.Duration, of int) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[min(len(took)-1, len(took)*of/100)].Round(time.Millisecond)
}

// flood calls one up to so many times a second, 32 at once, until ctx ends. one returns the status
// that an attacker got.
func (s *siege) flood(ctx context.Context, perSecond int, one func(ctx context.Context, i int64) int) {
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	var i atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				status := one(ctx, i.Add(1))
				s.mu.Lock()
				s.strange[status]++
				s.mu.Unlock()
			}
		})
	}
	all.Wait()
}

// send sends a request of a stranger and returns its status, 0 without an answer.
func (s *siege) send(ctx context.Context, method, path, body, from string, header ...string) int {
	req, err := http.NewRequestWithContext(ctx, method, s.p.URL+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("X-Forwarded-For", from)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode
}

// honest is what honest users do: one logs in from a network of their own, another's app refreshes
// its token, and others call a tool.
func (s *siege) honest(t *testing.T) {
	refresh, err := s.logIn(t)
	for range 5 {
		if err == nil {
			refresh, err = s.redeem("refresh", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {s.client}})
		}
		if err == nil {
			err = s.timed("tools/call", func() error {
				got, err := attempt(t.Context(), s.p.URL, s.token, "send_task", map[string]any{"message": "hello"})
				if err == nil && got.State != "completed" {
					err = fmt.Errorf("got %+v", got)
				}
				return err
			})
		}
	}
	if err != nil && t.Context().Err() == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.errors = append(s.errors, err.Error())
	}
}

// timed does something and notes how long it took.
func (s *siege) timed(kind string, do func() error) error {
	begin := time.Now()
	err := do()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took[kind] = append(s.took[kind], time.Since(begin))
	if err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}

// logIn registers an app from a new network, logs in with it in a fresh browser,
// and logs in with the hosted app. It returns the refresh token of the hosted app.
func (s *siege) logIn(t *testing.T) (refresh string, err error) {
	const verifier = "a-verifier-that-is-long-enough-for-rfc-7636-section-4"
	n := s.from.Add(1)
	from := fmt.Sprintf("100.64.%d.%d", n>>8&255, n&255)
	if err := s.timed("register", func() error {
		status := s.send(t.Context(), "POST", "/register", `{"redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`, from, "Content-Type", "application/json")
		return want(status, 201)
	}); err != nil {
		return "", err
	}
	browser := oauthtest.NewBrowser(t, s.http.Transport)
	browser.Header.Set("X-Forwarded-For", from)
	var page *oauthtest.Page
	if err := s.timed("authorize", func() error {
		page = browser.Get(s.p.URL + "/authorize?" + url.Values{
			"response_type": {"code"}, "client_id": {s.client}, "redirect_uri": {hostedApp}, "state": {"s"},
			"code_challenge": {s256(verifier)}, "code_challenge_method": {"S256"},
		}.Encode())
		return want(page.Status, 200)
	}); err != nil {
		return "", err
	}
	if err := s.timed("sign in", func() error {
		page = browser.Submit(page, map[string]string{"username": username, "password": password, "decision": "approve"})
		return want(page.Status, 200)
	}); err != nil {
		return "", err
	}
	return s.redeem("code", url.Values{
		"grant_type": {"authorization_code"}, "code": {page.Continue().Query().Get("code")}, "client_id": {s.client},
		"redirect_uri": {hostedApp}, "code_verifier": {verifier},
	})
}

// redeem asks the token endpoint from the address of the hosted app.
func (s *siege) redeem(kind string, form url.Values) (refresh string, err error) {
	err = s.timed(kind, func() error {
		req, err := http.NewRequest(http.MethodPost, s.p.URL+"/token", strings.NewReader(form.Encode()))
		if err != nil {
			return err
		}
		req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "X-Forwarded-For": {hostedFrom}}
		resp, err := s.http.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		if err != nil || resp.StatusCode != http.StatusOK {
			return errors.Join(err, fmt.Errorf("got %d: %s", resp.StatusCode, body))
		}
		var got struct {
			Refresh string `json:"refresh_token"`
		}
		err = json.Unmarshal(body, &got)
		refresh = got.Refresh
		return err
	})
	return refresh, err
}

func want(got, want int) error {
	if got != want {
		return fmt.Errorf("got %d, want %d", got, want)
	}
	return nil
}

// peakMemory returns the KiB of memory that the program held at most.
func peakMemory(t *testing.T, p *program) (kib int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}
