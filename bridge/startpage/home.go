// Package startpage serves the page at the root of the server: how to connect an app, for everybody,
// and for a user who is signed in a box to send from, what waits for them and what was last. What the
// box sends goes to package web.
package startpage

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/bridge/web"
	"rialto/oauth"
	"rialto/templates"
)

// Home serves the start page. All fields are required.
type Home struct {
	web.Site
	URL      string // of the connector
	Snippets []templates.Snippet
	Operator *operator.Service
}

// ServeHTTP shows the page.
func (h *Home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := templates.Home{
		Product:  h.Product,
		URL:      h.URL,
		Snippets: slices.Clone(h.Snippets),
	}
	access := h.Bridge.Directory.Access(r.Context())
	page.Agents = h.agents(r.Context(), access)
	if who, ok := oauth.FromContext(r.Context()); ok {
		page.User = who.Name
		page.SignOut = "/signout"
		page.Admin = who.Has(oauth.ScopeAdmin)
		if err := h.addOwn(r.Context(), access, &page); err != nil {
			h.Log.ErrorContext(r.Context(), "reading the start page of a user", "err", err)
		}
	}

	templates.Write(w, r, http.StatusOK, page)
}

func (h *Home) agents(ctx context.Context, access directory.Access) (all []templates.HomeAgent) {
	for _, a := range h.Bridge.Directory.CachedInfos(ctx, access) {
		all = append(all, templates.HomeAgent{
			Name:        a.Name,
			Title:       a.Title,
			Description: a.Description,
			Ready:       a.Available,
			Away:        a.Problem != "",
			Default:     a.Default,
		})
	}
	return all
}

// recentTasks is how many tasks the start page lists in each of its lists.
const recentTasks = 5

// patience is how long the start page waits for what is the user's own: people come here from the
// sign-in, which is to work when the table of tasks does not.
const patience = time.Second

// addOwn adds what is the user's own to the start page. What cannot be read is left out.
func (h *Home) addOwn(
	ctx context.Context, access directory.Access, page *templates.Home,
) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if len(page.Agents) > 0 {
		page.Send = &templates.SendBox{Once: rand.Text(), Agents: page.Agents}
	}
	var errs [4]error
	page.Recent, errs[0] = h.tasks(ctx, access, "")
	page.Waiting, errs[1] = h.tasks(ctx, access, a2a.InputRequired)
	page.WaitingState = "input-required"
	if len(page.Waiting) == 0 {
		page.WaitingState = "auth-required"
	}

	held, err := h.tasks(ctx, access, a2a.AuthRequired)
	page.Waiting = append(page.Waiting, held...)
	errs[2] = err
	grants, err := h.Operator.Grants(
		ctx, operator.GrantFilter{AccountID: access.User(), Live: true},
	)
	errs[3] = err
	for _, g := range grants.Items {
		if !slices.Contains(page.Apps, g.ClientName) {
			page.Apps = append(page.Apps, g.ClientName)
		}
	}
	markConnected(page.Snippets, page.Apps)
	return errors.Join(errs[:]...)
}

// tasks returns the latest tasks of a user in a state; "" is any in which they do not wait for the user.
func (h *Home) tasks(
	ctx context.Context, access directory.Access, state a2a.State,
) (all []templates.HomeTask, err error) {
	filter := ledger.Filter{State: state, Limit: recentTasks}
	if state == "" {
		filter.Limit = 4 * recentTasks // some of them wait
	}
	found, _, err := h.Bridge.Runner.Summaries(ctx, access, filter, "")
	for _, t := range found {
		if len(all) == recentTasks {
			break
		}
		if state == "" && t.State.Interrupted() {
			continue // page.Waiting has it
		}
		tone, word := web.State(t.State)
		title := templates.Textf("Request without text")
		if words := ledger.Title(t.Asked); words != "" {
			title = templates.Verbatim(words)
		}
		all = append(all, templates.HomeTask{
			Href:  documents.TaskPath + url.PathEscape(t.TaskID),
			Agent: h.Bridge.Directory.Title(t.Agent),
			Title: title,
			State: templates.Badge(tone, word),
			When:  templates.When(t.Updated, h.Now()),
		})
	}
	return all, err
}

// markConnected marks the clients whose names begin the names of connected apps: the longest, so that
// Claude Code is not Claude.
func markConnected(snippets []templates.Snippet, apps []string) {
	for _, app := range apps {
		app = strings.Replace(app, "Visual Studio Code", "VS Code", 1)
		best := -1
		for i, s := range snippets {
			longer := best < 0 || len(s.Client) > len(snippets[best].Client)
			if longer && strings.HasPrefix(app, s.Client) {
				best = i
			}
		}
		if best >= 0 {
			snippets[best].Connected = true
		}
	}
}
