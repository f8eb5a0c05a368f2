package a2avault

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"rialto/a2a"
)

// Device connects an agent by the device authorization grant (RFC 8628): the user enters a code at
// the authorization server, and this server polls for the token. The token is stored as OAuth.
const Device Kind = "device"

const (
	deviceGrant     = "urn:ietf:params:oauth:grant-type:device_code"
	defaultInterval = 5 * time.Second // where the server does not say how often it may be asked
	slowDownBy      = 5 * time.Second // what is added when that was too often (RFC 8628 section 3.5)
	maxCodeLength   = 100             // characters of a code that a person types
)

// Pending is a device authorization that the user has not finished. Its state is encrypted
// in Handle: nothing is stored, so any replica can continue.
type Pending struct {
	Handle string
	Code   string // what they enter
	URL    string // where
	Host   string // of URL
}

// pending is what is sealed in a handle.
type pending struct {
	Code  string `json:"code"`
	User  string `json:"user"`
	URL   string `json:"url"`
	Host  string `json:"host"` // of the agent
	Task  string `json:"task,omitempty"`
	Grant grant  `json:"grant"`

	Every   time.Duration `json:"every"`
	Next    time.Time     `json:"next"` // not to be asked before
	Expires time.Time     `json:"expires"`
}

// BeginDevice requests a code at the authorization server of a sign-in method. task continues afterwards.
func (v *Vault) BeginDevice(
	ctx context.Context,
	app App,
	w SignInMethod,
	user, task string,
) (*Pending, error) {
	s, g, err := v.newGrant(ctx, app, w, Device, false)
	if err != nil {
		return nil, err
	}

	var got struct {
		Device   string `json:"device_code"`
		User     string `json:"user_code"`
		URL      string `json:"verification_uri"`
		Complete string `json:"verification_uri_complete"`
		Expires  int    `json:"expires_in"`
		Interval int    `json:"interval"`
	}
	if err := v.askDevice(ctx, app, s.Device, g, app.scopes(w, s), &got); err != nil {
		return nil, err
	}
	if got.Device == "" || got.User == "" || len(got.User) > maxCodeLength || got.Expires <= 0 ||
		app.Fetch.Check(got.URL) != nil {
		return nil, &errServer{"it gave no code that a person can enter"}
	}
	if got.Complete != "" && app.Fetch.Check(got.Complete) == nil {
		got.URL = got.Complete
	}

	every := defaultInterval
	if got.Interval > 0 {
		every = max(time.Duration(got.Interval)*time.Second, time.Second) // it may overflow
	}

	return v.sealPending(app.Agent, user, pending{
		Code:    got.Device,
		User:    got.User,
		URL:     got.URL,
		Host:    v.Agents.Host(app.Agent),
		Task:    task,
		Grant:   g,
		Every:   every,
		Next:    v.Now(),
		Expires: v.Now().Add(min(time.Duration(got.Expires)*time.Second, time.Hour)),
	})
}

// askDevice requests a code with our client (RFC 8628 section 3.1).
func (v *Vault) askDevice(
	ctx context.Context,
	app App,
	address string,
	g grant,
	scopes []string,
	into any,
) error {
	form := url.Values{}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	if g.Resource != "" {
		form.Set("resource", g.Resource)
	}

	c, err := g.client(app)
	if err != nil {
		return err
	}

	resp, err := c.post(ctx, app, address, form)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body := json.NewDecoder(resp.Body)
	if resp.StatusCode == http.StatusOK {
		if err := body.Decode(into); err != nil {
			return &errServer{"its answer is not JSON"}
		}
		return nil
	}

	var refused struct {
		Error string `json:"error"`
	}
	_ = body.Decode(&refused) // what it says is of no use without
	return v.refusal(
		ctx,
		app.Agent,
		g,
		&oauth2.RetrieveError{Response: resp, ErrorCode: refused.Error},
	)
}

// sealPending seals p.
func (v *Vault) sealPending(agent, user string, p pending) (*Pending, error) {
	handle, err := v.seal(user, deviceScope(agent), p)
	if err != nil {
		return nil, err
	}

	return &Pending{
		Handle: handle,
		Code:   p.User,
		URL:    p.URL,
		Host:   hostOf(p.URL),
	}, nil
}

// deviceScope keeps what is sealed for a person with a code from being taken for anything else.
func deviceScope(agent string) string { return agent + " device" }

// FinishDevice polls for the token of a code and stores it. While the user has not finished, or the
// server does not answer, it returns the attempt; then the task to continue.
func (v *Vault) FinishDevice(
	ctx context.Context,
	app App,
	user, handle string,
) (still *Pending, task string, err error) {
	var p pending
	if v.open(user, deviceScope(app.Agent), handle, &p) != nil {
		return nil, "", ErrNone
	}

	now := v.Now()
	switch {
	case p.Host != v.Agents.Host(app.Agent):
		return nil, p.Task, ErrElsewhere
	case !now.Before(p.Expires):
		return nil, p.Task, ErrNone
	case now.Before(p.Next):
		still, err = v.sealPending(app.Agent, user, p)
		return still, p.Task, err
	}

	s, err := v.exchange(
		ctx,
		app,
		p.Grant,
		"",
		"",
		deviceErrors,
		oauth2.SetAuthURLParam("grant_type", deviceGrant),
		oauth2.SetAuthURLParam("device_code", p.Code),
	)
	switch {
	case err == nil:
		return nil, p.Task, v.Save(ctx, user, app.Agent, OAuth, s)
	case errors.Is(err, errTooOften):
		p.Every += slowDownBy
	case !errors.Is(err, errPending) && !Unavailable(err):
		return nil, p.Task, err
	}

	p.Next = now.Add(p.Every)
	still, sealed := v.sealPending(app.Agent, user, p)
	if Unavailable(err) {
		sealed = err
	}

	return still, p.Task, sealed
}

// The errors of a token endpoint while the user has not finished (RFC 8628 section 3.5).
var (
	errPending  = errors.New("the person has not finished")
	errTooOften = errors.New("it was asked too often")
)

// deviceErrors are the errors for error codes of RFC 8628 section 3.5.
var deviceErrors = map[string]error{
	"authorization_pending": errPending,
	"slow_down":             errTooOften,
	"access_denied":         ErrDenied,
	"expired_token":         ErrNone,
}

// deviceFlow returns the flow of a scheme that is for codes which people enter, nil if
// it has none, or one that sends people back: that is less to do for them.
func deviceFlow(s a2a.SecurityScheme) *a2a.OAuthFlow {
	if codeFlow(s) != nil {
		return nil
	}
	return flowOf(s, "deviceCode")
}
