package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/bridge/operator"

	"github.com/gorilla/mux"
)

// operatorAPI serves what is for operators: /admin and the exports.
type operatorAPI struct{ *API }

// routes adds the routes for operators to r, behind a scope.
func (a operatorAPI) routes(r *mux.Router, guard Guard, scope string) {
	served := map[string]map[string]handler{
		"/admin/clients":             {http.MethodGet: a.clients, http.MethodPost: body(a.registerClient)},
		"/admin/clients/{client}":    {http.MethodGet: a.client, http.MethodDelete: a.removeClient},
		"/admin/grants":              {http.MethodGet: a.grants},
		"/admin/grants/revoke":       {http.MethodPost: body(a.revokeGrants)},
		"/admin/grants/{grant}":      {http.MethodGet: a.grant, http.MethodDelete: a.revokeGrant},
		"/admin/accounts":            {http.MethodGet: a.accounts, http.MethodPost: body(a.addAccount)},
		"/admin/accounts/{account}":  {http.MethodGet: a.account, http.MethodPatch: body(a.changeAccount), http.MethodDelete: a.removeAccount},
		"/admin/tasks":               {http.MethodGet: a.allTasks},
		"/admin/tasks/{task}":        {http.MethodGet: a.ownedTask},
		"/admin/tasks/{task}/cancel": {http.MethodPost: a.cancelOwnedTask},
		"/admin/audit":               {http.MethodGet: a.auditLog},
		"/admin/keys":                {http.MethodGet: a.keys},
		"/admin/keys/rotate":         {http.MethodPost: a.rotateKeys},
		"/admin/keys/{key}":          {http.MethodDelete: a.revokeKey},
		"/admin/settings":            {http.MethodGet: a.settings},
		"/admin/doctor":              {http.MethodPost: body(a.examine)},

		"/admin/agents":                 {http.MethodGet: a.adminAgents, http.MethodPost: body(a.addAgent)},
		"/admin/agents/preview":         {http.MethodPost: body(a.previewAgent)},
		"/admin/agents/{agent}":         {http.MethodGet: a.adminAgent, http.MethodPut: body(a.changeAgent), http.MethodDelete: a.removeAgent},
		"/admin/agents/{agent}/enable":  {http.MethodPost: a.enableAgent},
		"/admin/agents/{agent}/disable": {http.MethodPost: a.disableAgent},
		"/admin/agents/{agent}/test":    {http.MethodPost: body(a.testAgent)},
		"/admin/agents/{agent}/cards":   {http.MethodGet: a.cards},
		"/admin/agents/{agent}/accept":  {http.MethodPost: a.acceptCard},
	}
	for _, path := range slices.Sorted(maps.Keys(served)) { // a word comes before a variable in its place
		guarded := map[string]http.Handler{}
		for method, h := range served[path] {
			guarded[method] = guard(a.serveOperator(h), scope)
		}
		r.Path(Roots[0] + path).Handler(a.byMethod(guarded, guard, scope))
	}
	for path, export := range map[string]http.HandlerFunc{"/usage": a.exportUsage, "/audit": a.exportAudit} {
		r.Path(Roots[0] + path).Handler(a.byMethod(map[string]http.Handler{http.MethodGet: guard(export, scope)}, guard, scope))
	}
}

// serveOperator serves a handler for operators, whose calls are not recorded as usage.
func (a operatorAPI) serveOperator(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := a.Allow(w.Header(), r)
		var status int
		var body any
		if err == nil {
			status, body, err = h(r)
		}
		if err != nil {
			a.writeError(w, r, err)
			return
		}
		write(w, status, body)
	})
}

// variable returns a variable of the route, unescaped: IDs of clients may be URLs.
func variable(r *http.Request, name string) string {
	escaped := mux.Vars(r)[name]
	if s, err := url.PathUnescape(escaped); err == nil {
		return s
	}
	return escaped
}

// page answers with a page of a list. The items are in the member name.
func page[T any](name string, p *operator.Page[T], err error) (int, any, error) {
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, map[string]any{name: append([]T{}, p.Items...), "next_page_token": p.Next}, nil
}

// span reads which page of a list is requested.
func span(r *http.Request) (operator.Span, error) {
	size, err := number(r, "page_size", operator.DefaultPage, 1, operator.LargestPage)
	return operator.Span{Cursor: r.URL.Query().Get("page_token"), Size: size}, err
}

// choice reads a parameter that must have one of a few values, or is left out.
func choice[T ~string](r *http.Request, name string, of ...T) (T, error) {
	v := T(r.URL.Query().Get(name))
	if v == "" || slices.Contains(of, v) {
		return v, nil
	}
	words := make([]string, len(of))
	for i, o := range of {
		words[i] = string(o)
	}
	return "", badRequest("%s must be one of %s.", name, strings.Join(words, ", "))
}

func answered[T any](v T, err error) (int, any, error) {
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, v, nil
}

// done answers a call that has no result.
func done(err error) (int, any, error) {
	return answered(struct{}{}, err)
}
