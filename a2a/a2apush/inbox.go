package a2apush

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"rialto/a2a"
)

// InboxPath is the path of our webhooks.
const InboxPath = "/hooks/"

// maxNotification bounds the body of a notification, which is hashed and not stored.
const maxNotification = 32 << 20

// Inbox has a webhook for each task. A notification only wakes the task's follower, which
// gets the task from the agent. Nothing is stored. The address of a webhook
// and its token are derived from the task's handle and a key, so every replica
// knows them and they cannot be guessed. All fields are required.
type Inbox struct {
	URL string // the server's URL, without a trailing slash
	Key []byte // a secret key

	Agents    Agents
	Followers Followers

	Now func() time.Time
	Log *slog.Logger
}

// Agents knows the keys of agents. It is used concurrently.
type Agents interface {
	// Keys returns those of an agent; nil if there is none with that name.
	Keys(agent string) *Keys
}

// Followers follow tasks. They are used concurrently.
type Followers interface {
	// Wake makes the follower of a task poll its agent now.
	Wake(handle string)
}

// Config returns the webhook for a task of an agent.
func (in *Inbox) Config(agent, handle string) *a2a.PushConfig {
	return &a2a.PushConfig{
		ID:    handle,
		URL:   in.address(agent, handle),
		Token: in.mac("token", agent, handle),
	}
}

func (in *Inbox) address(agent, handle string) string {
	return in.URL + InboxPath + agent + "/" + handle + "/" + in.mac("address", agent, handle)
}

func (in *Inbox) mac(what, agent, handle string) string {
	mac := hmac.New(sha256.New, in.Key)
	fmt.Fprintf(mac, "%s\x00%s\x00%s", what, agent, handle)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ServeHTTP answers a GET with its validation token, and accepts an authenticated POST of the
// agent. The answer does not tell an unknown webhook from a caller that is not the agent.
func (in *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, handle, ok := in.hook(r.URL.Path)
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case !ok:
		http.NotFound(w, r)
	case r.Method == http.MethodGet:
		in.validate(w, r)
	case r.Method == http.MethodPost:
		in.receive(w, r, agent, handle)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(
			w,
			"This is the webhook of a task: POST a notification to it.", http.StatusMethodNotAllowed,
		)
	}
}

// hook returns the agent and the task that a webhook is for, if it is one.
func (in *Inbox) hook(path string) (agent, handle string, ok bool) {
	parts := strings.Split(strings.TrimPrefix(path, InboxPath), "/")
	if len(parts) != 3 {
		return "", "", false
	}
	return parts[0], parts[1], hmac.Equal(
		[]byte(parts[2]), []byte(in.mac("address", parts[0], parts[1])),
	)
}

const maxValidation = 1024

// validate repeats a token as plain text, never as a page.
func (in *Inbox) validate(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("validationToken")
	if token == "" || len(token) > maxValidation {
		http.Error(
			w,
			"This is the webhook of a task: GET it with the query parameter validationToken, or POST a notification.",
			http.StatusBadRequest,
		)
		return
	}

	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, token) // an agent that is gone needs no answer
}

func (in *Inbox) receive(w http.ResponseWriter, r *http.Request, agent, handle string) {
	sum := sha256.New()
	_, err := io.Copy(sum, http.MaxBytesReader(w, r.Body, maxNotification))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, "The notification is too large.", http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		http.Error(w, "The notification could not be read to its end.", http.StatusBadRequest)
		return
	}
	if err := in.authenticate(r, agent, handle, [sha256.Size]byte(sum.Sum(nil))); err != nil {
		in.Log.InfoContext(
			r.Context(), "a push notification was refused",
			"agent", agent,
			"task", handle,
			"err", err,
		)
		http.NotFound(w, r)
		return
	}

	in.Followers.Wake(handle)
	w.WriteHeader(http.StatusNoContent)
}

// authenticate accepts the token that the agent was given, under either of its names or as a bearer
// token, or a JWT that the agent has signed: SDKs differ in what they send.
func (in *Inbox) authenticate(r *http.Request, agent, handle string, body [sha256.Size]byte) error {
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		bearer = ""
	}
	want := []byte(in.mac("token", agent, handle))
	for _, got := range []string{r.Header.Get(TokenHeader), r.Header.Get(TokenHeader10), bearer} {
		if hmac.Equal([]byte(got), want) {
			return nil
		}
	}
	if strings.Count(bearer, ".") != 2 {
		return errors.New("it has neither the token nor a JWT")
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	keys := in.Agents.Keys(agent)
	if keys == nil {
		return fmt.Errorf("agent %q no longer exists", agent)
	}
	set, err := keys.Set(ctx)
	if err != nil {
		return err
	}
	return CheckJWT(bearer, set, in.address(agent, handle), body, in.Now())
}
