package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"rialto/a2a/a2avault"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/sanitize"
	"rialto/internal/unavailable"
	"rialto/templates"
)

// Connect serves directory.ConnectPath, where users connect an agent with their own
// account or key. All fields are required.
type Connect struct {
	Site
	Vault    *a2avault.Vault
	Accounts Accounts
	Secure   bool // keeps cookies from plain HTTP
}

// Accounts are the accounts of users at agents.
type Accounts interface {
	// App returns how users sign in at the authorization server of an agent. ok is
	// false for agents that users do not connect.
	App(agent string) (app a2avault.App, ok bool)
	// Connected is called after the user of a request has connected an agent.
	Connected(r *http.Request, agent string)
	// Forget deletes the account of the user of a request at an agent, if there is one.
	Forget(r *http.Request, agent string) error
}

const (
	maxConnectForm = 16 << 10
	maxValue       = 8192 // bytes of a key
)

// ServeHTTP shows the page of the agent whose name follows the path, handles its
// forms, and the return from the agent's authorization server.
func (c *Connect) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, back := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, directory.ConnectPath), a2avault.CallbackSuffix)
	agent, err := c.agent(r.Context(), name)
	switch {
	case err != nil:
		c.writeError(w, r, err, "")
	case reads(r) && back:
		r, done := detach(r)
		defer done()
		c.finishSignIn(w, r, agent)
	case reads(r):
		c.show(w, r, agent, http.StatusOK, "")
	case r.Method == http.MethodPost && !back:
		r, done := detach(r)
		defer done()
		c.decide(w, r, agent)
	default:
		notAllowed(w, "GET, HEAD, POST")
	}
}

// detach returns a request that continues when the browser disconnects: an answer, or the tokens
// for a code that can be used once, must not be lost when a user reloads a slow page.
func detach(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, done := context.WithTimeout(context.WithoutCancel(r.Context()), detachedTimeout)
	return r.WithContext(ctx), done
}

const detachedTimeout = time.Minute

// connectable is an agent that the user may connect.
type connectable struct {
	info directory.Info
	app  a2avault.App
	ways []a2avault.SignInMethod
}

func (c *Connect) agent(ctx context.Context, name string) (connectable, error) {
	app, ok := c.Accounts.App(name)
	if !ok {
		return connectable{}, directory.ErrNoAgent
	}
	info, card, err := c.Bridge.Directory.CardOf(ctx, c.Bridge.Directory.Access(ctx), name)
	if err != nil {
		return connectable{}, err
	}
	return connectable{info, app, app.SignInMethods(card)}, nil
}

// show writes the page of an agent.
func (c *Connect) show(w http.ResponseWriter, r *http.Request, a connectable, status int, wrong string) {
	task := c.task(r, a)
	page := templates.Connect{
		Product: c.Product, Agent: a.info.Name, Title: a.info.Title, Description: a.info.Description, Task: task, Error: wrong,
	}
	if task != "" {
		page.TaskPath = documents.TaskPath + url.PathEscape(task)
	} else if named := r.FormValue("task"); named != "" {
		page.Switch = signInFor(begin(a.info.Name, named))
	}
	all, err := c.Vault.Connections(r.Context(), c.access(r).User())
	if err != nil {
		c.writeError(w, r, err, "")
		return
	}
	for _, known := range all {
		if known.Agent == a.info.Name && known.Kind != a2avault.Ended {
			page.Connected, page.Since = true, known.Connected.UTC().Format(time.DateOnly)
		}
	}
	for i, way := range a.ways {
		page.Ways = append(page.Ways, templates.ConnectWay{
			Number: i, Kind: string(way.Kind), Host: way.Host, Name: sanitize.Short(way.Name, 100), Description: sanitize.Short(way.Description, 500),
		})
	}
	templates.Write(w, r, status, page)
}

// task returns the task in a request, if it is the user's task at this agent.
func (c *Connect) task(r *http.Request, a connectable) string {
	task := r.FormValue("task")
	if task == "" || !c.Bridge.Runner.Owns(r.Context(), c.access(r), a.info.Name, task) {
		return ""
	}
	return task
}

// begin returns the page of an agent, for a task.
func begin(agent, task string) string {
	page := directory.ConnectPath + agent
	if task != "" {
		page += "?task=" + url.QueryEscape(task)
	}
	return page
}

// signInFor returns the address where another account signs in to see a page.
func signInFor(page string) string { return "/signin?next=" + url.QueryEscape(page) }

// decide handles a form of the page. The guard in front checks that it comes from one of our pages.
func (c *Connect) decide(w http.ResponseWriter, r *http.Request, a connectable) {
	r.Body = http.MaxBytesReader(w, r.Body, maxConnectForm)
	if err := r.ParseForm(); err != nil {
		c.writeError(w, r, errForm, begin(a.info.Name, ""))
		return
	}
	user := c.access(r).User()
	if r.PostForm.Get("decision") == "forget" {
		if err := c.Accounts.Forget(r, a.info.Name); err != nil {
			c.writeError(w, r, err, begin(a.info.Name, ""))
			return
		}
		redirect(w, r, directory.ConnectPath+a.info.Name)
		return
	}
	n, err := strconv.Atoi(r.PostForm.Get("way"))
	if err != nil || n < 0 || n >= len(a.ways) {
		c.writeError(w, r, errForm, begin(a.info.Name, ""))
		return
	}
	task := c.task(r, a)
	switch way := a.ways[n]; {
	case way.Kind == a2avault.OAuth:
		c.redirectToProvider(w, r, a, way, user, task)
	case way.Kind == a2avault.Device && r.PostForm.Get("device") != "":
		c.checkDeviceCode(w, r, a, n, user)
	case way.Kind == a2avault.Device:
		c.showDeviceCode(w, r, a, n, user, task)
	default:
		c.storeKey(w, r, a, way, user, task)
	}
}

// redirectToProvider sends the user to the agent's authorization server.
func (c *Connect) redirectToProvider(w http.ResponseWriter, r *http.Request, a connectable, way a2avault.SignInMethod, user, task string) {
	to, err := c.Vault.Begin(r.Context(), a.app, way, user, task, c.unfinished(r))
	if err != nil {
		c.notBegun(w, r, a, err)
		return
	}
	c.setCookie(w, to.Cookie, to.Browser, to.TTL)
	templates.Write(w, r, http.StatusOK, templates.Leave{Product: c.Product, Provider: to.Host, URL: to.URL})
}

// notBegun says why a sign-in at an agent's authorization server could not start.
func (c *Connect) notBegun(w http.ResponseWriter, r *http.Request, a connectable, err error) {
	switch {
	case a2avault.Unavailable(err):
		c.show(w, r, a, http.StatusBadGateway, away)
	case errors.Is(err, a2avault.ErrTooMany):
		w.Header().Set("Retry-After", unavailable.RetryAfterHeader)
		c.show(w, r, a, http.StatusTooManyRequests, "Too many attempts. Wait a little and try again.")
	default:
		c.Log.ErrorContext(r.Context(), "connecting an agent", "agent", a.info.Name, "err", err)
		c.show(w, r, a, http.StatusBadGateway, "The agent's authorization server cannot be used. Tell the people who run this server.")
	}
}

const away = "The agent's authorization server does not answer now. Try again later."

// unfinished reports whether the browser has started a sign-in that it has not finished:
// finishing it removes the cookie.
func (c *Connect) unfinished(r *http.Request) bool {
	return slices.ContainsFunc(r.Cookies(), func(k *http.Cookie) bool { return strings.HasPrefix(k.Name, c.cookieName(a2avault.CookiePrefix)) })
}

func (c *Connect) storeKey(w http.ResponseWriter, r *http.Request, a connectable, way a2avault.SignInMethod, user, task string) {
	s := a2avault.Secret{Value: strings.TrimSpace(r.PostForm.Get("value")), User: r.PostForm.Get("username"), In: way.In, Name: way.Name}
	valid := s.Value != "" && len(s.Value) <= maxValue && httpguts.ValidHeaderFieldValue(s.Value)
	wrong := "This value cannot be sent. Paste it again, without line breaks."
	if way.Kind == a2avault.Basic {
		valid = valid && s.User != "" && len(s.User) <= maxName && !strings.Contains(s.User, ":")
		wrong = "This value cannot be sent. A username has no colon, and neither value has a line break."
	}
	if !valid {
		c.show(w, r, a, http.StatusUnprocessableEntity, wrong)
		return
	}
	if err := c.Vault.Save(r.Context(), user, a.info.Name, way.Kind, s); err != nil {
		c.writeError(w, r, err, begin(a.info.Name, task))
		return
	}
	c.connected(w, r, a, task)
}

// finishSignIn finishes a sign-in at the agent's authorization server.
func (c *Connect) finishSignIn(w http.ResponseWriter, r *http.Request, a connectable) {
	q := r.URL.Query()
	state := q.Get("state")
	back := a2avault.Response{State: state, Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}
	name := c.cookieName(a2avault.CookieOf(state))
	if cookie, err := r.Cookie(name); err == nil {
		back.Browser = cookie.Value
	}
	task, err := c.Vault.Finish(r.Context(), a.app, c.access(r).User(), back)
	c.setCookie(w, a2avault.CookieOf(state), "", 0)
	if err != nil {
		c.writeError(w, r, err, begin(a.info.Name, task))
		return
	}
	c.connected(w, r, a, task)
}

// connected notes a new connection, and continues.
func (c *Connect) connected(w http.ResponseWriter, r *http.Request, a connectable, task string) {
	c.Accounts.Connected(r, a.info.Name)
	c.resume(w, r, a, task)
}

// resume resumes the task that waited for the connection, and redirects to its
// page, which shows the result.
func (c *Connect) resume(w http.ResponseWriter, r *http.Request, a connectable, task string) {
	if task == "" {
		redirect(w, r, directory.ConnectPath+a.info.Name)
		return
	}
	if err := c.Bridge.Runner.Resume(r.Context(), c.access(r), a.info.Name, task); err != nil {
		c.Log.WarnContext(r.Context(), "a task did not go on after its agent was connected", "task", sanitize.Short(task, 100), "err", err)
	}
	redirect(w, r, documents.TaskPath+url.PathEscape(task))
}

// cookieName adds the prefix that limits a cookie to this host over TLS.
func (c *Connect) cookieName(name string) string {
	if c.Secure {
		return "__Host-" + name
	}
	return name
}

func (c *Connect) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if age == 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: c.cookieName(name), Value: value, Path: "/", MaxAge: age, Secure: c.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// writeError is the one place where an error becomes a page. The page links to again,
// if it is not "".
func (c *Connect) writeError(w http.ResponseWriter, r *http.Request, err error, again string) {
	if c.writeUnavailable(w, r, err) {
		return
	}
	page := templates.Problem{
		Product: c.Product, Title: "The agent was not connected", Remedy: "Begin again on the page of the agent.", Way: again, WayTo: "Begin again",
	}
	status := http.StatusBadRequest
	var down directory.Unreachable
	switch {
	case errors.Is(err, directory.ErrNoAgent):
		status = http.StatusNotFound
		page.Title, page.Detail, page.Remedy = "This agent cannot be connected", "It does not exist, or not for you, or it does not ask who you are.", "Ask in the chat which agents there are."
	case errors.As(err, &down):
		status, page.Detail, page.Remedy = http.StatusServiceUnavailable, down.Error(), "Try again later."
	case errors.Is(err, errForm):
		page.Detail = "The form is not valid."
	case errors.Is(err, a2avault.ErrNone), errors.Is(err, a2avault.ErrElsewhere):
		page.Detail = "This sign-in was finished already, took too long, or was started by another user."
	case errors.Is(err, a2avault.ErrIssuer):
		page.Detail = "The answer came from another server."
	case errors.Is(err, a2avault.ErrDenied):
		page.Detail = "You denied access there, or you may not use that server. Nothing was stored."
	case errors.Is(err, a2avault.ErrRefused):
		page.Detail = "The agent's authorization server refused this server."
	case a2avault.Unavailable(err):
		status, page.Detail = http.StatusBadGateway, away
	default:
		status, page.Detail, page.Remedy = http.StatusInternalServerError, "Something went wrong on this server.", "Try again in a moment."
		c.Log.ErrorContext(r.Context(), "connecting an agent", "err", err)
	}
	templates.Write(w, r, status, page)
}
