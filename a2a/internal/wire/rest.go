package wire

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"rialto/a2a"
)

// RESTDialects returns the dialects of the binding HTTP+JSON, the newest first.
// 0.3 has two: by its protocol buffers, and in the objects of JSON-RPC, which
// a2a-js sent and understood alone before 0.3.8.
func RESTDialects() []*Dialect { return []*Dialect{&v10, &v03rest, &v03} }

// RESTPath returns the HTTP method and the path below an interface's URL of op (A2A 1.0 section
// 11.3, 0.3 section 3.5.3). In 1.0 the tenant precedes it.
func (d *Dialect) RESTPath(op Op, q a2a.TaskQuery, tenant string) (method, path string) {
	base := d.restBase(tenant)
	task := restTask(base, q.ID)
	switch op {
	case Send:
		return http.MethodPost, base + "/message:send"
	case Stream:
		return http.MethodPost, base + "/message:stream"
	case Cancel:
		return http.MethodPost, task + ":cancel"
	case Subscribe:
		// The texts say POST, the protocol buffers GET; callers try both.
		return http.MethodGet, task + ":subscribe"
	case List:
		return http.MethodGet, base + "/tasks"
	case ExtendedCard:
		if d.Generation == a2a.V10 {
			return http.MethodGet, base + "/extendedAgentCard"
		}
		return http.MethodGet, base + "/card"
	default:
		if q.HistoryLength != nil {
			task += "?historyLength=" + strconv.Itoa(*q.HistoryLength)
		}
		return http.MethodGet, task
	}
}

// RESTPushPath is RESTPath for the calls about configs of push notifications.
func (d *Dialect) RESTPushPath(op Op, id PushID, tenant string) (method, path string) {
	all := restTask(d.restBase(tenant), id.Task) + "/pushNotificationConfigs"
	switch op {
	case PushSet:
		return http.MethodPost, all
	case PushList:
		return http.MethodGet, all
	case PushDelete:
		return http.MethodDelete, all + "/" + url.PathEscape(id.ID)
	default:
		return http.MethodGet, all + "/" + url.PathEscape(id.ID)
	}
}

func (d *Dialect) restBase(tenant string) string {
	switch {
	case d.Generation != a2a.V10:
		return "/v1"
	case tenant != "":
		return "/" + url.PathEscape(tenant)
	}
	return ""
}

// restTask returns the path of a task. A colon in its id must not look like the one before a verb.
func restTask(base string, id a2a.TaskID) string {
	return base + "/tasks/" + strings.ReplaceAll(url.PathEscape(string(id)), ":", "%3A")
}

// RESTCall is a call as its path describes it.
type RESTCall struct {
	Op   Op
	Task a2a.TaskID // that it is about
	Push string     // the config of push notifications that it is about
	V03  bool       // the path is one of 0.3
}

// RESTRoute finds the call at an escaped path. A prefix,
// such as an agent's path or a tenant, is ignored.
func RESTRoute(method, path string) (RESTCall, bool) {
	at := strings.LastIndex(path, "/tasks/")
	if at < 0 {
		at = strings.LastIndexByte(path, '/')
	}
	if at < 0 {
		return RESTCall{}, false
	}
	c := RESTCall{V03: strings.HasSuffix(path[:at], "/v1")}
	switch method + " " + path[at:] {
	case "POST /message:send":
		c.Op = Send
	case "POST /message:stream":
		c.Op = Stream
	case "GET /tasks":
		c.Op = List
	case "GET /card", "GET /extendedAgentCard":
		c.Op = ExtendedCard
	case "GET /authenticatedExtendedCard": // 0.2: {url}/../agent/authenticatedExtendedCard
		c.Op = ExtendedCard
		c.V03 = true
	default:
		return c, c.aboutTask(method, path[at:])
	}
	return c, true
}

func (c *RESTCall) aboutTask(method, path string) bool {
	name, isTask := strings.CutPrefix(path, "/tasks/")
	if !isTask {
		return false
	}
	name, config, push := strings.Cut(name, "/pushNotificationConfigs")
	verb := ""
	for _, v := range []string{"cancel", "subscribe"} {
		if id, found := strings.CutSuffix(name, ":"+v); found {
			name = id
			verb = v
		}
	}
	raw, err := url.PathUnescape(name)
	if err != nil || raw == "" || strings.Contains(name, "/") {
		return false
	}
	c.Task = a2a.TaskID(raw)
	c.Push, err = url.PathUnescape(strings.Trim(config, "/"))
	if err != nil {
		return false
	}
	var ok bool
	c.Op, ok = taskOp(method, verb, push, c.Push != "")
	return ok
}

func taskOp(method, verb string, push, config bool) (Op, bool) {
	switch {
	case push && method == http.MethodPost:
		return PushSet, true
	case push && method == http.MethodDelete:
		return PushDelete, true
	case push && config:
		return PushGet, method == http.MethodGet
	case push:
		return PushList, method == http.MethodGet
	case verb == "":
		return Task, method == http.MethodGet
	case verb == "cancel":
		return Cancel, method == http.MethodPost
	case verb == "subscribe":
		return Subscribe, method == http.MethodGet || method == http.MethodPost
	default:
		return 0, false
	}
}

// RESTDialect returns the dialect that a body of 0.3 is written in: that of the
// protocol buffers, unless its message says otherwise.
func RESTDialect(v03path bool, body json.RawMessage) *Dialect {
	var in struct {
		Message struct {
			Kind  string          `json:"kind"`
			Parts json.RawMessage `json:"parts"`
		} `json:"message"`
	}
	switch {
	case !v03path:
		return &v10
	case json.Unmarshal(body, &in) == nil && (in.Message.Kind != "" || in.Message.Parts != nil):
		return &v03
	default:
		return &v03rest
	}
}

// restStatus is the HTTP status and the google.rpc.Code of an error (A2A 1.0.1 section 5.4).
type restStatus struct {
	code   a2a.Code
	status int
	name   string // of google.rpc.Code
}

// restStatuses is ordered: the first row of a status is how we read it where nothing else tells.
var restStatuses = []restStatus{
	{a2a.InvalidParams, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.InvalidRequest, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.ParseFailed, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.ContentTypeNotSupported, http.StatusBadRequest, "INVALID_ARGUMENT"},
	{a2a.TaskNotCancelable, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.PushNotSupported, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.UnsupportedOperation, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.ExtendedCardMissing, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.ExtensionRequired, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.VersionNotSupported, http.StatusBadRequest, "FAILED_PRECONDITION"},
	{a2a.Unauthenticated, http.StatusUnauthorized, "UNAUTHENTICATED"},
	{a2a.Forbidden, http.StatusForbidden, "PERMISSION_DENIED"},
	{a2a.TaskNotFound, http.StatusNotFound, "NOT_FOUND"},
	{a2a.MethodNotFound, http.StatusNotFound, "NOT_FOUND"},
	{a2a.TaskNotCancelable, http.StatusConflict, "FAILED_PRECONDITION"},                // 1.0.0
	{a2a.ContentTypeNotSupported, http.StatusUnsupportedMediaType, "INVALID_ARGUMENT"}, // 1.0.0
	{a2a.Internal, http.StatusInternalServerError, "INTERNAL"},
	{a2a.InvalidAgentResponse, http.StatusInternalServerError, "INTERNAL"},
	{a2a.UnsupportedOperation, http.StatusNotImplemented, "UNIMPLEMENTED"},
	{a2a.InvalidAgentResponse, http.StatusBadGateway, "INTERNAL"}, // 1.0.0
	{a2a.Unavailable, http.StatusServiceUnavailable, "UNAVAILABLE"},
	{a2a.RateLimited, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED"},
	{a2a.Unavailable, http.StatusGatewayTimeout, "UNAVAILABLE"},
}

// restError is the body of an error: a google.rpc.Status, and for clients of
// 0.3 the error of JSON-RPC around it.
type restError struct {
	Code    int       `json:"code,omitempty"`
	Message string    `json:"message,omitempty"`
	Error   rpcStatus `json:"error"`
}

type rpcStatus struct {
	Code    int             `json:"code"`
	Status  string          `json:"status"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// EncodeRESTError returns the HTTP status and body of e. status is 0 for that of its code.
func (d *Dialect) EncodeRESTError(e *a2a.Error, status int) (int, json.RawMessage) {
	row := restRow(e.Code)
	row.status = cmp.Or(status, row.status)
	rpc := v10.EncodeError(e) // its data is the list of details
	out := restError{Error: rpcStatus{row.status, row.name, rpc.Message, rpc.Data}}
	if d.Generation != a2a.V10 {
		out.Code = d.EncodeError(e).Code
		out.Message = rpc.Message
	}

	b, err := json.Marshal(out)
	if err != nil { // the data of an error that is no JSON
		return row.status, json.RawMessage(
			`{"error":{"code":500,"status":"INTERNAL","message":"internal error"}}`,
		)
	}

	return row.status, b
}

func restRow(code a2a.Code) restStatus {
	for _, c := range []a2a.Code{code, code.Broader()} {
		for _, row := range restStatuses {
			if row.code == c {
				return row
			}
		}
	}
	return restStatus{code, http.StatusInternalServerError, "INTERNAL"}
}

// DecodeRESTError reads an error that came with an HTTP status, or in a stream.
// It is nil if body is none: no object with a message or code. The reason
// decides, then a number of JSON-RPC, then the status.
func (d *Dialect) DecodeRESTError(status int, body json.RawMessage) *a2a.Error {
	var in struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
		Error   *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Details json.RawMessage `json:"details"`
		} `json:"error"`
	}
	if !fits(body) || json.Unmarshal(body, &in) != nil {
		return nil
	}
	if in.Error != nil {
		if in.Code == 0 {
			in.Code = in.Error.Code
		}
		in.Message = in.Error.Message
		in.Data = in.Error.Details
	}
	if in.Message == "" && in.Code == 0 {
		return nil
	}

	e := &a2a.Error{
		Code:    a2a.Internal,
		Message: in.Message,
		Data:    in.Data,
		Remote:  true,
	}
	if in.Code >= 400 {
		status = in.Code
	}

	for _, row := range restStatuses {
		if row.status == status {
			e.Code = row.code
			break
		}
	}

	if in.Code < 0 {
		e.Number, e.Code = in.Code, d.meaning(in.Code)
	}

	for _, row := range numbers {
		if string(row.code) == reason(in.Data) {
			e.Code = row.code
		}
	}

	return e
}
