// Package login logs in to an MCP server for the programs of the command line. A login is stored,
// and shared by any number of processes at a time: one of them opens the browser, one of them
// renews a token, and the others wait for what it stores.
//
// A Login is the transport of an HTTP client. What the client sends is for package call or stdio
// to decide.
package login

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// ErrRequired is returned if the server wants a login and there is none.
var ErrRequired = errors.New("login")

// PendingError is returned if a login is still to be done in the browser. It is an ErrRequired.
type PendingError struct {
	Link string // "" if another process has it
}

// Error implements error.
func (e *PendingError) Error() string {
	if e.Link == "" {
		return "another program waits until you have logged in with your browser"
	}
	return "log in with your browser on this computer: " + e.Link
}

// Is implements the interface of errors.Is.
func (*PendingError) Is(err error) bool { return err == ErrRequired }

// Login is the login to one server. It is an http.RoundTripper that adds the access token, and a
// proof of its key if the login has one (RFC 9449). If the server refuses the token, it renews the
// login once, and then asks for a new one once.
type Login struct {
	URL  string // of the MCP server
	File string // where logins are stored
	Err  io.Writer

	// Token is an access token that is not renewed. The other fields but URL then have no effect.
	Token string

	// ClientID is one that the server knows: an ID, or the URL of a client ID metadata document.
	// If it is "", the client registers itself.
	ClientID string

	Attended bool          // a person can log in; without one, only a stored login works
	Browser  bool          // open a browser; else a link is printed
	Patience time.Duration // for the login of a person; 0 waits as long as the request

	Base http.RoundTripper // nil means http.DefaultTransport
	Now  func() time.Time  // nil means time.Now

	mu      sync.Mutex // guards what follows, and is held while a token is renewed
	known   *stored
	margin  time.Duration
	retryAt time.Time
	attempt atomic.Pointer[attempt]

	nonces sync.Map // of DPoP, by origin
}

// Client returns an HTTP client that is logged in. It follows no redirect to another origin.
func (l *Login) Client() *http.Client { return &http.Client{Transport: l, CheckRedirect: sameOrigin} }

// Forget removes the stored login, and reports whether there was one. It waits for a renewal, which would
// store the login again.
func (l *Login) Forget() (had bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*renewTimeout)
	defer cancel()
	unlock, err := l.store().lock(ctx, l.store().renewal())
	if err != nil {
		return false, err
	}
	defer unlock()
	s, err := l.store().read()
	if err != nil || s == nil {
		return false, err
	}
	return true, l.store().write(ctx, nil)
}

// RoundTrip implements http.RoundTripper.
func (l *Login) RoundTrip(r *http.Request) (*http.Response, error) {
	s, err := l.current(r.Context())
	renewed := l.Token != ""
	asked := renewed
	for err == nil {
		resp, err := l.send(r, s)
		if err == nil && !wantsLogin(resp) {
			l.noteGood(s)
		}
		if err != nil || !wantsLogin(resp) {
			return resp, err
		}
		discard(resp)

		renewable := s != nil && resp.StatusCode == http.StatusUnauthorized
		switch {
		case renewable && !renewed:
			renewed = true
			s, err = l.renew(r.Context(), s.accessToken())
		case !asked:
			renewed = true
			asked = true
			s, err = l.authorize(r.Context(), resp.Header, s.accessToken())
		default:
			return nil, fmt.Errorf(
				"%w: the server refused the access token: %s %s",
				ErrRequired, resp.Status, resp.Header.Get("WWW-Authenticate"),
			)
		}
		if err != nil {
			return nil, err
		}
	}

	return nil, err
}

func discard(resp *http.Response) {
	io.CopyN(io.Discard, resp.Body, 64<<10)
	resp.Body.Close()
}

// sameOrigin refuses redirects that would take the access token to another server, or out of TLS.
func sameOrigin(r *http.Request, via []*http.Request) error {
	if origin(r.URL) != origin(via[0].URL) {
		return fmt.Errorf(
			"it redirects to %s: if you trust that server, call its address", r.URL.Redacted(),
		)
	}
	if len(via) > 10 {
		return errors.New("it redirects without end")
	}
	return nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

func (l *Login) now() time.Time {
	if l.Now != nil {
		return l.Now()
	}
	return time.Now()
}

func (l *Login) base() http.RoundTripper {
	return cmp.Or(l.Base, http.DefaultTransport)
}

// current returns the login in force, renewed if it ends soon; nil if there is none.
func (l *Login) current(ctx context.Context) (*stored, error) {
	if l.Token != "" {
		return &stored{Token: token{AccessToken: l.Token}}, nil
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || l.endsSoon(l.known) {
		s, err := l.store().read()
		if err != nil {
			return nil, err
		}
		l.known = s
	}

	fresh := l.known == nil || !l.endsSoon(l.known)
	if fresh || l.now().Before(l.retryAt) {
		return l.known, nil
	}

	return l.renewLocked(ctx, "")
}

// renew returns another login than the one whose access token was refused; nil if there is none.
func (l *Login) renew(ctx context.Context, refused string) (*stored, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renewLocked(ctx, refused)
}

// Times of renewals.
const (
	renewTimeout = 30 * time.Second
	renewPause   = 15 * time.Second // after one has failed, as long as the token is valid
)

// endsSoon tells whether the access token has to be renewed: 60 to 90 seconds before its end, so
// that processes do not all come at once, or when a fourth of a short life is left.
func (l *Login) endsSoon(s *stored) bool {
	if l.margin == 0 {
		l.margin = time.Minute + rand.N(30*time.Second)
	}
	margin := l.margin
	if life := time.Duration(s.Token.ExpiresIn) * time.Second; life > 0 {
		margin = min(margin, life/4)
	}
	return !s.Token.Expiry.IsZero() && l.now().After(s.Token.Expiry.Add(-margin))
}

// renewLocked renews the stored login under the lock of all processes. A request that is canceled
// does not interrupt it: the new refresh token would be lost.
func (l *Login) renewLocked(ctx context.Context, refused string) (*stored, error) {
	ctx = context.WithoutCancel(ctx)
	wait, cancel := context.WithTimeout(ctx, 2*renewTimeout) // another process may have its whole time
	defer cancel()
	unlock, err := l.store().lock(wait, l.store().renewal())
	if err != nil {
		return nil, err
	}
	defer unlock()
	ctx, cancel = context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	l.known, err = l.store().read()
	if err != nil || l.known == nil {
		return nil, err
	}
	s := l.known
	if s.Token.AccessToken != refused && !l.endsSoon(s) {
		return s, nil // another process was first
	}

	err = errNoRefreshToken
	if s.Token.RefreshToken != "" {
		err = l.refresh(ctx, s)
	}
	if err == nil {
		return s, l.store().write(ctx, s)
	}
	return l.notRenewed(ctx, refused, err)
}

var errNoRefreshToken = &tokenError{Code: "invalid_grant"}

// notRenewed decides what is left of a login that could not be renewed.
func (l *Login) notRenewed(ctx context.Context, refused string, err error) (*stored, error) {
	s := l.known
	valid := s.Token.AccessToken != refused && l.now().Before(s.Token.Expiry)
	final := isFinal(err)
	if valid {
		l.retryAt = l.now().Add(renewPause)
		if final {
			l.retryAt = s.Token.Expiry
		}
		return s, nil
	}
	if !final {
		return nil, fmt.Errorf("renewing the login: %w", err)
	}
	again, err := l.store().read()
	if err != nil {
		return nil, err
	}
	if again != nil && again.Token.RefreshToken != s.Token.RefreshToken {
		l.known = again // by a program that does not know the lock
		return again, nil
	}

	l.known = nil
	return nil, l.store().write(ctx, nil)
}
