package login

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"rialto/bridge/sanitize"
	"rialto/internal/loopback"
)

// wantsLogin tells whether a server wants another token: none was good, or it lacks a scope.
func wantsLogin(resp *http.Response) bool {
	if resp.StatusCode == http.StatusForbidden {
		challenge := strings.Join(resp.Header.Values("WWW-Authenticate"), ",")
		return strings.Contains(challenge, "insufficient_scope")
	}
	return resp.StatusCode == http.StatusUnauthorized
}

// browserTimeout is how long a person has. A process asks for the same at most once in that time, unless
// the login was good in between.
const browserTimeout = 10 * time.Minute

// linkPatience is how long a request waits for a login that no browser was opened for: a person may
// have come back from the page a moment ago.
const linkPatience = 500 * time.Millisecond

// attempt is a login in the browser that is being made, or the last one.
type attempt struct {
	begun  time.Time
	why    string        // the challenge of the server
	link   atomic.Value  // string; the page to log in at, once it is known
	linked chan struct{} // closed when the link is known
	done   chan struct{} // closed at the end
	login  *stored
	err    error
	good   atomic.Bool // the server has taken the access token
}

// noteGood notes that the server has taken a login, so that its end is answered by another attempt.
func (l *Login) noteGood(s *stored) {
	a := l.attempt.Load()
	if a == nil || a.good.Load() {
		return
	}
	select {
	case <-a.done:
		a.good.Store(a.login != nil && a.login.accessToken() == s.accessToken())
	default:
	}
}

// authorize waits for a login in the browser, which goes on if the wait ends first. Refused is the
// access token that is not enough.
func (l *Login) authorize(
	ctx context.Context, challenge http.Header, refused string,
) (*stored, error) {
	if !l.Attended {
		return nil, fmt.Errorf(
			"%w: the server wants one, and there is no terminal to log in from", ErrRequired,
		)
	}

	l.mu.Lock()
	a := l.attempt.Load()
	why := challenge.Get("WWW-Authenticate")
	if a == nil || a.isOver(why) {
		a = &attempt{
			begun:  time.Now(),
			why:    why,
			linked: make(chan struct{}),
			done:   make(chan struct{}),
		}
		l.attempt.Store(a)
		go l.run(a, challenge, refused)
	}

	l.mu.Unlock()

	wait := ctx
	if l.Patience > 0 {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, l.Patience)
		defer cancel()
	}

	linked := a.linked
	var late <-chan time.Time
	for {
		select {
		case <-a.done:
			if a.err != nil {
				return nil, fmt.Errorf("%w: %w", ErrRequired, a.err)
			}
			return a.login, nil
		case <-linked:
			linked = nil
			if !l.Browser && l.Patience > 0 { // a person has to read the error first
				late = time.After(linkPatience)
			}
		case <-late:
			return nil, a.pending()
		case <-wait.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return nil, ctx.Err()
			}
			return nil, a.pending()
		}
	}
}

// isOver tells whether a challenge is to be met with another attempt.
func (a *attempt) isOver(challenge string) bool {
	select {
	case <-a.done:
		return a.good.Load() || a.why != challenge || time.Since(a.begun) > browserTimeout
	default:
		return false
	}
}

func (a *attempt) pending() error {
	link, _ := a.link.Load().(string)
	return &PendingError{link}
}

func (l *Login) run(a *attempt, challenge http.Header, refused string) {
	ctx, cancel := context.WithTimeout(context.Background(), browserTimeout)
	defer cancel()
	a.login, a.err = l.logIn(ctx, a, challenge, refused)
	l.mu.Lock()
	l.known = a.login
	l.mu.Unlock()
	close(a.done)
}

// logIn returns another login than the one that was refused. Of all processes one sends the user to
// the browser; the others wait for the login that it stores.
func (l *Login) logIn(
	ctx context.Context, a *attempt, challenge http.Header, refused string,
) (*stored, error) {
	turn, err := l.store().flock(l.store().browser())
	if err != nil {
		return nil, err
	}
	defer turn.Close()
	for {
		mine, err := turn.TryLock()
		if err != nil {
			return nil, err
		}
		s, err := l.store().read()
		if err != nil {
			return nil, err
		}
		if s != nil && s.Token.AccessToken != refused {
			return s, nil
		}
		if mine {
			return l.ask(ctx, a, challenge)
		}
		select {
		case <-time.After(250 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.New("the login was not finished in time")
		}
	}
}

// ask logs in with the browser and stores the login.
func (l *Login) ask(ctx context.Context, a *attempt, challenge http.Header) (*stored, error) {
	f, err := l.discover(ctx, challenge)
	if err != nil {
		return nil, err
	}
	before, err := l.store().read()
	if err != nil {
		return nil, err
	}
	if before != nil && before.Issuer == f.server.Issuer { // a challenge may name only what lacks
		f.add(strings.Fields(before.Scope)...)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0") // RFC 8252 section 7.3
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	redirect := "http://" + listener.Addr().String() + loopback.Path
	s, err := l.register(ctx, f, redirect)
	if err != nil {
		return nil, err
	}
	s.Scope = strings.Join(f.scopes, " ")
	if f.provable() {
		s.Key, err = newKey()
		if err != nil {
			return nil, err
		}
	}

	verifier := oauth2.GenerateVerifier()
	code, err := l.authorizationCode(ctx, a, listener, f, url.Values{
		"response_type":         {"code"},
		"client_id":             {s.ClientID},
		"redirect_uri":          {redirect},
		"scope":                 {s.Scope},
		"resource":              {s.Resource},
		"state":                 {rand.Text()},
		"code_challenge":        {oauth2.S256ChallengeFromVerifier(verifier)},
		"code_challenge_method": {"S256"},
	})
	if err != nil {
		return nil, err
	}

	err = l.redeem(ctx, s, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {code},
		"redirect_uri":  {redirect},
		"code_verifier": {verifier},
	})
	if err != nil {
		return nil, err
	}

	return s, l.store().write(ctx, s)
}

// authorizationCode sends the user to the authorization endpoint and waits for the browser to return.
func (l *Login) authorizationCode(
	ctx context.Context, a *attempt, back net.Listener, f *found, params url.Values,
) (string, error) {
	page, err := url.Parse(f.server.Authorization)
	if err != nil {
		return "", err
	}

	query := page.Query()
	for name, values := range params {
		if values[0] != "" {
			query[name] = values
		}
	}

	page.RawQuery = query.Encode()
	ours := func(q url.Values) bool { return slices.Equal(q["state"], params["state"]) }
	const done = "You can close this window and return to your program."
	q, err := loopback.Answer(ctx, back, done, ours, func() error {
		l.show(ctx, a, page.String())
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case q.Get("error") == "access_denied":
		return "", errors.New("you refused it in the browser")
	case q.Get("code") == "":
		return "", fmt.Errorf(
			"the server answered %s: %s",
			sanitize.Label(q.Get("error")), sanitize.Label(q.Get("error_description")),
		)
	case (f.server.Iss || q.Has("iss")) && q.Get("iss") != f.server.Issuer: // RFC 9207 section 2.4
		return "", errors.New("the answer in the browser came from another server")
	}

	return q.Get("code"), nil
}

// show shows the page of the login: in a browser, as a text, and to requests that wait for it.
func (l *Login) show(ctx context.Context, a *attempt, page string) {
	fmt.Fprintf(l.Err, "Log in with your browser on this computer:\n\n  %s\n\n", page)
	a.link.Store(page)
	close(a.linked)
	if l.Browser {
		open(ctx, page)
	}
}

// HasBrowser tells whether a browser can be opened: on Linux, whether there is a desktop.
func HasBrowser() bool {
	desktop := os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
	return desktop || runtime.GOOS == "darwin" || runtime.GOOS == "windows"
}

// open opens an address in the user's browser, if it can: the address is printed as well.
func open(ctx context.Context, address string) {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}

	cmd := exec.CommandContext(context.WithoutCancel(ctx), opener[0], append(opener[1:], address)...)
	if cmd.Start() == nil {
		go cmd.Wait() // ends with the opener
	}
}
