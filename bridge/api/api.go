// Package api serves the bridge as plain REST: a registry of the agents, and
// their tasks. It is for programs that speak neither MCP nor A2A; what it shows
// are the same agents and the same tasks. What is for operators is below /admin,
// with the exports of the usage and the audit log (operator.go).
//
// It knows nothing of tokens: the guard of Routes decides who may call what, and the
// bridge's Caller whose tasks are shown. The cards of agents are served by the program.
package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/internal/dberr"
	"rialto/internal/i18n"
	"rialto/internal/usage"
)

// API serves the bridge. All fields are required.
type API struct {
	Bridge   *bridge.Bridge
	URL      string            // the origin that it is served at, without trailing slash
	Card     http.Handler      // serves the card of the agent named in the route variable "agent"
	Operator *operator.Service // what those with the operator's scope may see and do
	Callers  Callers
	Log      *slog.Logger
}

// Callers are those who make requests.
type Callers interface {
	// Allow returns why a caller may not make a call now, as an *a2a.Error.
	Allow(http.Header, *http.Request) error
	// Actor returns the operator who makes a request.
	Actor(*http.Request) operator.Actor
}

// Roots are where the API answers. The second are the addresses of older clients.
var Roots = []string{"/api/v1", "/a2a"}

// Shares is where documents are shared. Older clients do not know of it.
const Shares = "/api/v1/shares"

// Guard lets only callers through that hold a scope. It may answer OPTIONS, which
// browsers ask without a token.
type Guard func(next http.Handler, scopes ...string) http.Handler

// handler answers a request with what to encode, or an error. The status is 200, or 201 if the
// answer is created.
type handler func(*http.Request) (body any, err error)

// Routes puts the API on r: what reads behind the scope discover, what changes
// anything behind publish, what is for operators behind operate. Register it before what serves agents below
// "/a2a/".
func (a *API) Routes(r *mux.Router, guard Guard, discover, publish, operate string) {
	operatorAPI{a}.routes(r, guard, operate)
	for _, root := range Roots {
		for path, handlers := range byPath(map[string]handler{
			"GET /agents":                 a.agents,
			"POST /agents/{agent}/tasks":  a.createTask,
			"GET /tasks":                  a.tasks,
			"GET /tasks/{task}":           a.task,
			"GET /tasks/{task}/status":    a.status,
			"POST /tasks/{task}/messages": a.addMessage,
			"POST /tasks/{task}/cancel":   a.cancel,
		}) {
			r.Path(root + path).Handler(a.methods(handlers, guard, discover, publish))
		}
		r.Path(root + "/agents/{agent}/card").Handler(guard(a.Card, discover))
	}

	for path, handlers := range byPath(map[string]handler{
		"GET ":            a.shares,
		"POST ":           body(a.share),
		"DELETE /{share}": a.unshare,
	}) {
		r.Path(Shares + path).Handler(a.methods(handlers, guard, discover, publish))
	}

	r.PathPrefix(Roots[0]).HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.writeError(w, r, notFound("There is nothing at this address. /openapi.json lists what there is."))
	})
}

// byPath groups handlers by their paths and methods. Their patterns are such as "GET /tasks".
func byPath(patterns map[string]handler) map[string]map[string]handler {
	paths := map[string]map[string]handler{}
	for pattern, h := range patterns {
		method, path, _ := strings.Cut(pattern, " ")
		if paths[path] == nil {
			paths[path] = map[string]handler{}
		}
		paths[path][method] = h
	}
	return paths
}

// methods serves a path by the method of a request.
func (a *API) methods(
	handlers map[string]handler,
	guard Guard,
	discover, publish string,
) http.Handler {
	guarded := map[string]http.Handler{}
	for method, h := range handlers {
		scope := discover
		if method != http.MethodGet {
			scope = publish
		}
		guarded[method] = guard(a.serve(h), scope)
	}

	return a.byMethod(guarded, guard, discover)
}

// byMethod serves a path by the method of a request, and leaves OPTIONS to the guard.
func (a *API) byMethod(guarded map[string]http.Handler, guard Guard, scope string) http.Handler {
	allowed := slices.Sorted(maps.Keys(guarded))
	guarded[http.MethodOptions] = guard(http.NotFoundHandler(), scope)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := guarded[r.Method]; ok {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		a.writeError(w, r, &refusal{
			http.StatusMethodNotAllowed,
			"method_not_allowed",
			"This address takes " + strings.Join(allowed, " and ") + ".",
		})
	})
}

// created is the answer to a request that made something.
type created struct{ body any }

func (a *API) serve(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body any
		var err error
		c := a.begin(r)
		defer c.End(context.WithoutCancel(r.Context()), &err) // a client may leave with its answer
		err = a.Callers.Allow(w.Header(), r)
		if err == nil {
			body, err = h(r)
		}
		if r.Context().Err() != nil {
			c.Outcome = usage.Canceled
		}
		if err != nil {
			c.Out = a.writeError(w, r, err)
			return
		}
		noteAnswer(c, body)
		made, _ := body.(created)
		if t, ok := made.body.(*Task); ok {
			w.Header().Set("Location", a.URL+Roots[0]+"/tasks/"+t.ID)
		}
		c.Out = write(w, http.StatusOK, body)
	})
}

// access is what the caller may reach.
func (a *API) access(r *http.Request) directory.Access {
	return a.Bridge.Directory.Access(r.Context())
}

// begin begins a call under the address that it is made to.
func (a *API) begin(r *http.Request) *call.Call {
	c := a.Bridge.Calls.Begin(a.access(r), usage.REST, r.Method)
	c.In = int(max(0, r.ContentLength))
	if template, err := mux.CurrentRoute(r).GetPathTemplate(); err == nil {
		c.Tool += " " + strings.TrimPrefix(strings.TrimPrefix(template, Roots[0]), Roots[1])
	}
	if p := a.Bridge.Directory.Agent(c.Access, mux.Vars(r)["agent"]); p != nil {
		c.Agent = p.Name
	}
	return c
}

// noteAnswer says which agent and task an answer is about, and the state of the task.
func noteAnswer(c *call.Call, body any) {
	switch b := body.(type) {
	case created:
		noteAnswer(c, b.body)
	case *Task:
		noteAnswer(c, &b.Status)
	case *Status:
		c.Agent = b.Agent
		c.Task = b.ID
		c.State = b.State
	case *Answer:
		c.Agent = b.Agent
	case documents.Shared:
		c.Agent = b.Agent
		c.Task = b.Handle
	}
}

// refusal is an error that says its own status.
type refusal struct {
	status     int
	code, text string
}

func (e *refusal) Error() string { return e.text }

// Refused implements call.Refusal.
func (e *refusal) Refused() bool { return e.status < http.StatusInternalServerError }

func notFound(text string) error { return &refusal{http.StatusNotFound, "not_found", text} }

func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, "invalid_request", fmt.Sprintf(format, args...)}
}

// statuses says what the refusals of agents and of the bridge are in HTTP. The
// first row that fits counts.
var statuses = []struct {
	is     a2a.Code
	status int
	code   string
}{
	{a2a.TaskNotFound, http.StatusNotFound, "not_found"},
	{a2a.RateLimited, http.StatusTooManyRequests, "too_many_requests"},
	{a2a.Unavailable, http.StatusServiceUnavailable, "unavailable"},
	{a2a.TaskNotCancelable, http.StatusConflict, "task_not_cancelable"},
	{a2a.InvalidTaskState, http.StatusConflict, "invalid_task_state"},
	{a2a.UnsupportedOperation, http.StatusConflict, "unsupported_operation"},
	{a2a.ContentTypeNotSupported, http.StatusUnsupportedMediaType, "content_type_not_supported"},
	{a2a.InvalidParams, http.StatusBadRequest, "invalid_request"},
	{a2a.InvalidRequest, http.StatusBadRequest, "invalid_request"},
}

// reasons maps the reasons of operator.Error to HTTP. The code of a conflict is that of the error.
var reasons = map[operator.Reason]refusal{
	operator.Invalid:  {http.StatusBadRequest, "invalid_request", ""},
	operator.NotFound: {http.StatusNotFound, "not_found", ""},
	operator.Conflict: {http.StatusConflict, "", ""},
	operator.Busy:     {http.StatusTooManyRequests, "too_many_requests", ""},
}

// refusalOf maps an error to HTTP. An error of an agent is a 502.
func (a *API) refusalOf(err error) *refusal {
	var own *refusal
	var refused *operator.Error
	var e *a2a.Error
	var agent *operator.AgentError
	var away *dberr.Error
	switch {
	case errors.As(err, &own):
	case errors.As(err, &away):
		own = &refusal{http.StatusServiceUnavailable, "unavailable", away.Text()}
	case errors.As(err, &refused):
		r := reasons[refused.Reason]
		own = &refusal{r.status, cmp.Or(r.code, refused.Code), refused.Error()}
	case errors.As(err, &e):
		own = &refusal{http.StatusBadGateway, "agent_error", i18n.Sentence(e.Error())}
		for _, row := range statuses {
			if a2a.Is(err, row.is) {
				own.status = row.status
				own.code = row.code
				break
			}
		}
	case errors.As(err, &agent):
		own = &refusal{http.StatusBadRequest, "invalid_request", i18n.Sentence(err.Error())}
	default:
		own = &refusal{
			http.StatusInternalServerError,
			"server_error",
			"The server could not do this. What happened is in its log.",
		}
	}

	return own
}

// writeError is the one place where an error becomes bytes, in the shape that the guard's have too
// (RFC 6750 section 3). What we did not mean to show is logged. It returns how many bytes it wrote.
func (a *API) writeError(w http.ResponseWriter, r *http.Request, err error) int {
	own := a.refusalOf(err)
	if _, away := dberr.As(err); away || own.code == "server_error" {
		a.Log.ErrorContext(r.Context(), "api: request failed", "path", r.URL.Path, "err", err)
	}
	busy := own.status == http.StatusTooManyRequests || own.status == http.StatusServiceUnavailable
	if busy && w.Header().Get("Retry-After") == "" { // a limit has set its own
		wait := cmp.Or(a2a.RetryAfter(err), dberr.RetryAfter)
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
	}

	return write(w, own.status, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{own.code, own.text})
}

// write answers with JSON and returns how many bytes it has. What agents say is clean
// in it, but for cards that an operator looks at: they are to see what is hidden there.
func write(w http.ResponseWriter, status int, body any) int {
	if made, ok := body.(created); ok {
		status = http.StatusCreated
		body = made.body
	}

	b, err := json.Marshal(body)
	if err != nil { // an agent's metadata always came from JSON
		status = http.StatusInternalServerError
		b = []byte(`{"error":"server_error","error_description":"The answer has no JSON form."}`)
	}
	if _, as := body.(cardList); !as {
		b = sanitize.JSON(b)
	}

	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that is gone needs no answer
	return len(b)
}

func body[T any](do func(*http.Request, T) (any, error)) handler {
	return func(r *http.Request) (any, error) {
		var in T
		if err := read(r, &in); err != nil {
			return nil, err
		}
		return do(r, in)
	}
}

// read decodes the body of a request. Members that mean nothing are refused: a
// typing mistake must not pass in silence.
func read(r *http.Request, v any) error {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		t != "application/json" {
		return &refusal{
			http.StatusUnsupportedMediaType,
			"unsupported_media_type",
			"The body must be application/json.",
		}
	}

	b, err := io.ReadAll(r.Body) // which the server bounds
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &refusal{
			http.StatusRequestEntityTooLarge,
			"too_large",
			fmt.Sprintf("The body is larger than %d bytes.", large.Limit),
		}
	case err != nil:
		return badRequest("The body could not be read to its end.")
	}

	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return badRequest("The body is not what is expected: %s.", decodeError(err))
	}
	if d.More() {
		return badRequest("The body holds more than one JSON value.")
	}

	return nil
}

// decodeError says what is wrong with a body, without the names that we have for it.
func decodeError(err error) string {
	var other *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &other):
		return strings.TrimPrefix(err.Error(), "json: ")
	case other.Field == "":
		return "it may not be of the type " + other.Value
	}
	return fmt.Sprintf("%q may not be of the type %s", other.Field, other.Value)
}
