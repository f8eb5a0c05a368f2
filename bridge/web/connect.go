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
	"rialto/internal/dberr"
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
	name, back := strings.CutSuffix(
		strings.TrimPrefix(r.URL.Path, directory.ConnectPath), a2avault.CallbackSuffix,
	)
	req := &connectRequest{
		Connect: c,
		Request: r,
		w:       w,
		user:    c.access(r).User(),
	}
	var err error
	req.connectable, err = c.agent(r.Context(), name)
	if err != nil {
		req.writeError(err, "")
		return
	}

	sends := r.Method == http.MethodPost && !back
	returns := reads(r) && back
	if sends || returns {
		detached, done := detach(r)
		defer done()
		req.Request = detached
	}

	switch {
	case sends:
		req.decide()
	case !reads(r):
		notAllowed(w, "GET, HEAD, POST")
	case returns:
		req.finishSignIn()
	default:
		req.show(http.StatusOK, "")
	}
}

// detach returns a request that continues when the browser disconnects: an answer, or the tokens
// for a code that can be used once, must not be lost when a user reloads a slow page.
func detach(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, done := context.WithTimeout(context.WithoutCancel(r.Context()), detachedTimeout)
	return r.WithContext(ctx), done
}

const detachedTimeout = time.Minute

// connectRequest is a request about an agent that the user may connect.
type connectRequest struct {
	*Connect
	*http.Request
	w http.ResponseWriter
	connectable
	user string
}

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
func (c *connectRequest) show(status int, wrong string) {
	task := c.task()
	page := templates.Connect{
		Product:     c.Product,
		Agent:       c.info.Name,
		Title:       c.info.Title,
		Description: c.info.Description,
		Task:        task,
		Error:       wrong,
	}
	if task != "" {
		page.TaskPath = documents.TaskPath + url.PathEscape(task)
	} else if named := c.FormValue("task"); named != "" {
		page.Switch = signInFor(connectPath(c.info.Name, named))
	}

	all, err := c.Vault.Connections(c.Context(), c.user)
	if err != nil {
		c.writeError(err, "")
		return
	}

	for _, known := range all {
		if known.Agent == c.info.Name && known.Kind != a2avault.Ended {
			page.Connected, page.Since = true, known.Connected.UTC().Format(time.DateOnly)
		}
	}

	for i, way := range c.ways {
		page.Ways = append(page.Ways, templates.ConnectWay{
			Number:      i,
			Kind:        string(way.Kind),
			Host:        way.Host,
			Name:        sanitize.Short(way.Name, 100),
			Description: sanitize.Short(way.Description, 500),
		})
	}

	templates.Write(c.w, c.Request, status, page)
}

// task returns the task in a request, if it is the user's task at this agent.
func (c *connectRequest) task() string {
	task := c.FormValue("task")
	if task == "" || !c.Bridge.Runner.Owns(c.Context(), c.access(c.Request), c.info.Name, task) {
		return ""
	}
	return task
}

// connectPath returns the page of an agent, for a task.
func connectPath(agent, task string) string {
	page := directory.ConnectPath + agent
	if task != "" {
		page += "?task=" + url.QueryEscape(task)
	}
	return page
}

// signInFor returns the address where another account signs in to see a page.
func signInFor(page string) string { return "/signin?next=" + url.QueryEscape(page) }

// decide handles a form of the page. The guard in front checks that it comes from one of our pages.
func (c *connectRequest) decide() {
	c.Body = http.MaxBytesReader(c.w, c.Body, maxConnectForm)
	if err := c.ParseForm(); err != nil {
		c.writeError(errForm, connectPath(c.info.Name, ""))
		return
	}
	if c.PostForm.Get("decision") == "forget" {
		if err := c.Accounts.Forget(c.Request, c.info.Name); err != nil {
			c.writeError(err, connectPath(c.info.Name, ""))
			return
		}
		redirect(c.w, c.Request, directory.ConnectPath+c.info.Name)
		return
	}

	n, err := strconv.Atoi(c.PostForm.Get("way"))
	if err != nil || n < 0 || n >= len(c.ways) {
		c.writeError(errForm, connectPath(c.info.Name, ""))
		return
	}

	task := c.task()
	switch way := c.ways[n]; {
	case way.Kind == a2avault.OAuth:
		c.redirectToProvider(way, task)
	case way.Kind == a2avault.Device && c.PostForm.Get("device") != "":
		c.checkDeviceCode(n)
	case way.Kind == a2avault.Device:
		c.showDeviceCode(n, task)
	default:
		c.storeKey(way, task)
	}
}

// redirectToProvider sends the user to the agent's authorization server.
func (c *connectRequest) redirectToProvider(way a2avault.SignInMethod, task string) {
	to, err := c.Vault.Begin(c.Context(), c.app, way, c.user, task, c.unfinished())
	if err != nil {
		c.showSignInError(err)
		return
	}

	c.setCookie(to.Cookie, to.Browser, to.TTL)
	templates.Write(
		c.w,
		c.Request,
		http.StatusOK,
		templates.Leave{Product: c.Product, Provider: to.Host, URL: to.URL},
	)
}

// showSignInError says why a sign-in at an agent's authorization server could not start.
func (c *connectRequest) showSignInError(err error) {
	switch {
	case a2avault.Unavailable(err):
		c.show(http.StatusBadGateway, serverDown)
	case errors.Is(err, a2avault.ErrTooMany):
		c.w.Header().Set("Retry-After", dberr.RetryAfterHeader)
		c.show(http.StatusTooManyRequests, "Too many attempts. Wait a moment and try again.")
	default:
		c.Log.ErrorContext(c.Context(), "connecting an agent", "agent", c.info.Name, "err", err)
		c.show(
			http.StatusBadGateway,
			"The agent's authorization server can't be used. Tell the people who run this server.",
		)
	}
}

const serverDown = "The agent's authorization server doesn't answer now. Try again later."

// unfinished reports whether the browser has started a sign-in that it has not finished:
// finishing it removes the cookie.
func (c *connectRequest) unfinished() bool {
	return slices.ContainsFunc(
		c.Cookies(),
		func(k *http.Cookie) bool { return strings.HasPrefix(k.Name, c.cookieName(a2avault.CookiePrefix)) },
	)
}

func (c *connectRequest) storeKey(way a2avault.SignInMethod, task string) {
	s := a2avault.Secret{
		Value: strings.TrimSpace(c.PostForm.Get("value")),
		User:  c.PostForm.Get("username"),
		In:    way.In,
		Name:  way.Name,
	}
	valid := s.Value != "" && len(s.Value) <= maxValue && httpguts.ValidHeaderFieldValue(s.Value)
	wrong := "This value can't be sent. Paste it again, without line breaks."
	if way.Kind == a2avault.Basic {
		valid = valid && s.User != "" && len(s.User) <= maxName && !strings.Contains(s.User, ":")
		wrong = "This value can't be sent. A username has no colon, and neither value has a line break."
	}
	if !valid {
		c.show(http.StatusUnprocessableEntity, wrong)
		return
	}
	if err := c.Vault.Save(c.Context(), c.user, c.info.Name, way.Kind, s); err != nil {
		c.writeError(err, connectPath(c.info.Name, task))
		return
	}

	c.connected(task)
}

// finishSignIn finishes a sign-in at the agent's authorization server.
func (c *connectRequest) finishSignIn() {
	q := c.URL.Query()
	state := q.Get("state")
	back := a2avault.Response{
		State:  state,
		Code:   q.Get("code"),
		Issuer: q.Get("iss"),
		Error:  q.Get("error"),
	}
	name := c.cookieName(a2avault.CookieOf(state))
	if cookie, err := c.Cookie(name); err == nil {
		back.Browser = cookie.Value
	}

	task, err := c.Vault.Finish(c.Context(), c.app, c.user, back)
	c.setCookie(a2avault.CookieOf(state), "", 0)
	if err != nil {
		c.writeError(err, connectPath(c.info.Name, task))
		return
	}

	c.connected(task)
}

// connected notes a new connection, and continues.
func (c *connectRequest) connected(task string) {
	c.Accounts.Connected(c.Request, c.info.Name)
	c.resume(task)
}

// resume resumes the task that waited for the connection, and redirects to its
// page, which shows the result.
func (c *connectRequest) resume(task string) {
	if task == "" {
		redirect(c.w, c.Request, directory.ConnectPath+c.info.Name)
		return
	}
	if err := c.Bridge.Runner.Resume(
		c.Context(),
		c.access(c.Request),
		c.info.Name,
		task,
	); err != nil {
		c.Log.WarnContext(
			c.Context(), "a task did not go on after its agent was connected",
			"task", sanitize.Short(task, 100),
			"err", err,
		)
	}

	redirect(c.w, c.Request, documents.TaskPath+url.PathEscape(task))
}

// cookieName adds the prefix that limits a cookie to this host over TLS.
func (c *Connect) cookieName(name string) string {
	if c.Secure {
		return "__Host-" + name
	}
	return name
}

func (c *connectRequest) setCookie(name, value string, life time.Duration) {
	age := int(life / time.Second)
	if age == 0 {
		age = -1
	}

	http.SetCookie(c.w, &http.Cookie{
		Name:     c.cookieName(name),
		Value:    value,
		Path:     "/",
		MaxAge:   age,
		Secure:   c.Secure,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
}

// writeError is the one place where an error becomes a page. The page links to again,
// if it is not "".
func (c *connectRequest) writeError(err error, again string) {
	if c.writeUnavailable(c.w, c.Request, err) {
		return
	}

	page := templates.Problem{
		Product: c.Product,
		Title:   "The agent wasn't connected",
		Remedy:  "Begin again on the page of the agent.",
		Way:     again,
		WayTo:   "Begin again",
	}
	status := http.StatusBadRequest
	var down directory.Unreachable
	switch {
	case errors.Is(err, directory.ErrNoAgent):
		status = http.StatusNotFound
		page.Title = "This agent can't be connected"
		page.Detail = "It doesn't exist, isn't for you, or doesn't ask who you are."
		page.Remedy = "Ask in the chat which agents there are."
	case errors.As(err, &down):
		status, page.Detail, page.Remedy = http.StatusServiceUnavailable, down.Error(), "Try again later."
	case errors.Is(err, errForm):
		page.Detail = "The form isn't valid."
	case errors.Is(err, a2avault.ErrNone), errors.Is(err, a2avault.ErrElsewhere):
		page.Detail = "This sign-in was finished already, took too long, or was started by another user."
	case errors.Is(err, a2avault.ErrIssuer):
		page.Detail = "The answer came from another server."
	case errors.Is(err, a2avault.ErrDenied):
		page.Detail = "You denied access there, or you may not use that server. Nothing was stored."
	case errors.Is(err, a2avault.ErrRefused):
		page.Detail = "The agent's authorization server refused this server."
	case a2avault.Unavailable(err):
		status = http.StatusBadGateway
		page.Detail = serverDown
	default:
		status = http.StatusInternalServerError
		page.Detail = "Something went wrong on this server."
		page.Remedy = "Try again in a moment."
		c.Log.ErrorContext(c.Context(), "connecting an agent", "err", err)
	}

	templates.Write(c.w, c.Request, status, page)
}
