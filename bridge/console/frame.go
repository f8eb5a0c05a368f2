package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge/operator"
	"rialto/oauth"
	"rialto/templates"
)

// area is one of the two halves of the console.
type area struct {
	root string
	ways []templates.Way
}

var accountArea = area{"/account", []templates.Way{
	{Href: "/account", Name: "Connections"},
	{Href: ownTasksPath, Name: "Tasks"},
	{Href: "/account/agents", Name: "Agent accounts"},
	{Href: "/account/links", Name: "Shared links"},
	{Href: "/account/password", Name: "Password", Group: "Sign-in"},
	{Href: "/account/passkeys", Name: "Passkeys"},
	{Href: "/account/sessions", Name: "Sessions"},
}}

var adminArea = area{"/admin", []templates.Way{
	{Href: "/admin", Name: "Overview"},
	{Href: "/admin/tasks", Name: "Tasks", Group: "Activity"},
	{Href: "/admin/usage", Name: "Usage"},
	{Href: "/admin/audit", Name: "Audit log"},
	{Href: "/admin/agents", Name: "Agents", Group: "Access"},
	{Href: "/admin/connectors", Name: "Connectors"},
	{Href: "/admin/clients", Name: "Apps"},
	{Href: "/admin/grants", Name: "Connections"},
	{Href: "/admin/accounts", Name: "Accounts"},
	{Href: "/admin/keys", Name: "Keys", Group: "Server"},
	{Href: "/admin/settings", Name: "Settings"},
	{Href: "/admin/doctor", Name: "Doctor"},
}}

// frame returns the frame of a page: navigation, user and messages.
func (c *Console) frame(r *http.Request, a area) templates.Frame {
	who := user(r)
	f := templates.Frame{
		Product: c.Product,
		User:    who.Name,
		SignOut: "/signout",
		Done:    done(r),
		Undo:    undo(r),
		Waiting: c.waiting(r),
	}
	own := templates.Way{Href: accountArea.root, Name: "My account", Here: true}
	if a.root != accountArea.root {
		own.Here = false
		own.Count = f.Waiting
	}
	f.Areas = append(f.Areas, own)
	if who.Has(oauth.ScopeAdmin) {
		f.Areas = append(
			f.Areas,
			templates.Way{Href: adminArea.root, Name: "Console", Here: a.root == adminArea.root},
		)
	}

	f.Ways = slices.Clone(a.ways)
	here := &templates.Way{} // the longest address above the page
	for i := range f.Ways {
		way := &f.Ways[i]
		if way.Href == ownTasksPath {
			way.Count = f.Waiting
		}
		above := under(r.URL.Path, way.Href)
		if way.Href == adminArea.root {
			above = r.URL.Path == way.Href
		}
		if above && len(way.Href) > len(here.Href) {
			here = way
		}
	}

	here.Here = true
	return f
}

// waiting counts the tasks that wait for the user. A page is worth showing without the number.
func (c *Console) waiting(r *http.Request) (n int) {
	for _, state := range []a2a.State{a2a.InputRequired, a2a.AuthRequired} {
		f := operator.TaskFilter{OwnerID: user(r).User, State: state}
		of, err := f.Count(r.Context(), c.Admin)
		if err != nil {
			c.Log.WarnContext(r.Context(), "console: counting tasks that wait", "err", err)
		}
		n += of
	}
	return n
}

// TaskFrame returns the frame of a task, or of another document, of the user.
func (c *Console) TaskFrame(r *http.Request) templates.Frame {
	f := c.frame(r, accountArea)
	for i := range f.Ways {
		f.Ways[i].Here = f.Ways[i].Href == ownTasksPath
	}
	return f
}

// doneTexts are the messages of a page after an action, by the parameter in its
// address. No other text can be shown this way.
var doneTexts = map[string]string{
	"setup":       "This server is set up, and you are its administrator.",
	"revoked":     "App disconnected.",
	"ended":       "Apps disconnected.",
	"forgotten":   "Agent disconnected.",
	"tested":      "The receiver took the test event.",
	"redelivered": "Events that the receiver missed are delivered again.",
	"link":        "Link ended.",
	"links":       "Links ended.",
	"password":    "Password changed. Other browsers are signed out.",
	"confirmed":   "Confirmed.",
	"session":     "That browser is signed out.",
	"sessions":    "All other browsers are signed out.",
	"canceled":    "Task canceled.",

	"canceled-some": "{} of {} tasks canceled.",
	"revoked-some":  "{} of {} apps disconnected.",

	"removed":     "Removed.",
	"added":       "Added.",
	"saved":       "Saved.",
	"enabled":     "Enabled.",
	"disabled":    "Disabled.",
	"key-revoked": "Key revoked. Tokens that it signed are refused.",
	"rotated":     "New key created. It starts signing in ten minutes.",
	"accepted":    "The new card is in force.",
}

// undo returns the button that enables again what was disabled. Other actions have none: what they end
// does not come back, such as the tokens of a disconnected app.
func undo(r *http.Request) *templates.Button {
	if param(r, "done") != "disabled" {
		return nil
	}
	return &templates.Button{
		Action: strings.TrimSuffix(r.URL.Path, "/one") + "/enable",
		Hidden: hidden("name", param(r, "undo"), "back", r.URL.RequestURI()),
	}
}

// done returns the message for the action that led to this page, with the numbers behind its key.
func done(r *http.Request) templates.Text {
	key, rest, _ := strings.Cut(param(r, "done"), ".")
	words, ok := doneTexts[key]
	if !ok {
		return nil
	}
	var numbers []any
	for digits := range strings.SplitSeq(rest, ".") {
		if n, err := strconv.Atoi(digits); err == nil {
			numbers = append(numbers, templates.Number(int64(n)))
		}
	}
	return templates.Textf(words, numbers...)
}
