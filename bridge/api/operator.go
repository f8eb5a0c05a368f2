package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"rialto/bridge/operator"
)

// operatorAPI serves what is for operators: /admin and the exports.
type operatorAPI struct{ *API }

// routes adds the routes for operators to r, behind a scope.
func (a operatorAPI) routes(r *mux.Router, guard Guard, scope string) {
	all := map[string]handler{
		"GET /admin/clients":                 a.list("clients"),
		"POST /admin/clients":                body(a.registerClient),
		"GET /admin/clients/{client}":        a.one("clients"),
		"DELETE /admin/clients/{client}":     a.remove("clients"),
		"GET /admin/grants":                  a.list("grants"),
		"POST /admin/grants/revoke":          body(a.revokeGrants),
		"GET /admin/grants/{grant}":          a.one("grants"),
		"DELETE /admin/grants/{grant}":       a.remove("grants"),
		"GET /admin/accounts":                a.list("accounts"),
		"POST /admin/accounts":               body(a.addAccount),
		"GET /admin/accounts/{account}":      a.one("accounts"),
		"PATCH /admin/accounts/{account}":    body(a.changeAccount),
		"DELETE /admin/accounts/{account}":   a.remove("accounts"),
		"GET /admin/tasks":                   a.list("tasks"),
		"GET /admin/tasks/{task}":            a.ownedTask,
		"POST /admin/tasks/{task}/cancel":    a.cancelOwnedTask,
		"GET /admin/audit":                   a.list("events"),
		"GET /admin/keys":                    a.list("keys"),
		"POST /admin/keys/rotate":            a.rotateKeys,
		"DELETE /admin/keys/{key}":           a.remove("keys"),
		"GET /admin/settings":                a.settings,
		"POST /admin/doctor":                 body(a.examine),
		"GET /admin/agents":                  a.list("agents"),
		"POST /admin/agents":                 body(a.addAgent),
		"POST /admin/agents/preview":         body(a.previewAgent),
		"GET /admin/agents/{agent}":          a.one("agents"),
		"PUT /admin/agents/{agent}":          body(a.changeAgent),
		"DELETE /admin/agents/{agent}":       a.remove("agents"),
		"POST /admin/agents/{agent}/enable":  a.change(operator.Agents.Enable),
		"POST /admin/agents/{agent}/disable": a.change(operator.Agents.Disable),
		"POST /admin/agents/{agent}/test":    body(a.testAgent),
		"GET /admin/agents/{agent}/cards":    a.cards,
		"POST /admin/agents/{agent}/accept":  a.acceptCard,
	}
	maps.Copy(all, a.connectorRoutes())
	served := byPath(all)
	for _, path := range slices.Sorted(maps.Keys(served)) { // a word comes before a variable in its place
		guarded := map[string]http.Handler{}
		for method, h := range served[path] {
			guarded[method] = guard(a.serveOperator(h), scope)
		}
		r.Path(Roots[0] + path).Handler(a.byMethod(guarded, guard, scope))
	}

	for path, export := range map[string]http.HandlerFunc{"/usage": a.exportUsage, "/audit": a.exportAudit} {
		r.Path(Roots[0] + path).Handler(
			a.byMethod(map[string]http.Handler{http.MethodGet: guard(export, scope)}, guard, scope),
		)
	}
}

// serveOperator serves a handler for operators, whose calls are not recorded as usage.
func (a operatorAPI) serveOperator(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body any
		err := a.Callers.Allow(w.Header(), r)
		if err == nil {
			body, err = h(r)
		}
		if err != nil {
			a.writeError(w, r, err)
			return
		}
		write(w, http.StatusOK, body)
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

// list answers with the list of a resource, or a page of it.
func (a operatorAPI) list(name string) handler {
	return func(r *http.Request) (any, error) {
		query := operator.NewQuery(name)
		if err := setFilters(r, operator.Filters(query)); err != nil {
			return nil, err
		}
		size, err := number(r, "page_size", operator.DefaultPage, 1, operator.LargestPage)
		if err != nil && !query.Table().Whole {
			return nil, err
		}
		p, err := query.Read(
			r.Context(),
			a.Operator,
			operator.Span{Cursor: r.URL.Query().Get("page_token"), Size: size},
		)
		if err != nil {
			return nil, err
		}
		body := map[string]any{name: p.Items}
		if !query.Table().Whole {
			body["next_page_token"] = p.Next
		}
		return body, nil
	}
}

// one answers with the entry of a resource that the route's variable names.
func (a operatorAPI) one(resource string) handler {
	return func(r *http.Request) (any, error) {
		return a.Operator.Entry(
			r.Context(), resource, variable(r, strings.TrimSuffix(resource, "s")),
		)
	}
}

// remove removes that entry.
func (a operatorAPI) remove(resource string) handler {
	return func(r *http.Request) (any, error) {
		return struct{}{}, a.Operator.Remove(
			r.Context(),
			a.Callers.Actor(r),
			resource,
			variable(r, strings.TrimSuffix(resource, "s")),
		)
	}
}

// setFilters sets filters from the parameters of a request.
func setFilters(r *http.Request, filters []operator.Filter) error {
	for _, f := range filters {
		if f.Param == "" {
			continue
		}
		value := r.URL.Query().Get(f.Param)
		if !f.Open && len(f.Choices) > 0 {
			if _, err := choice(r, f.Param, f.Values()...); err != nil {
				return err
			}
		}
		if err := f.Set(value); err != nil {
			return err
		}
	}
	return nil
}

// choice reads a parameter that must have one of a few values, or is left out.
func choice[T ~string](r *http.Request, name string, of ...T) (T, error) {
	v := T(r.URL.Query().Get(name))
	if v == "" || slices.Contains(of, v) {
		return v, nil
	}
	var words []string
	for _, o := range of {
		words = append(words, string(o))
	}
	return "", badRequest("%s must be one of %s.", name, strings.Join(words, ", "))
}
