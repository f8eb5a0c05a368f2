package mcp

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// bodyTimeout is how long a client may take to send a message.
const bodyTimeout = 30 * time.Second

// read returns the body, which is JSON and not too large.
func (x *exchange) read() ([]byte, error) {
	// A read timeout of the whole server would also end the streams that come
	// after, so the body has its own. It is lifted when the body has been read;
	// what is left of one that was not, the server reads by it before it answers.
	// A recorder knows no timeouts, and needs none.
	rc := http.NewResponseController(x.answer.w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	if !isJSON(x.r.Header.Get("Content-Type")) {
		return nil, faultf(http.StatusUnsupportedMediaType, codeServer, "send messages as application/json")
	}
	most := or(x.most, or(x.s.MaxBody, 4<<20))
	body, err := readAll(http.MaxBytesReader(x.answer.w, x.r.Body, most), x.r.ContentLength)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, faultf(http.StatusRequestEntityTooLarge, codeServer, "a message may have %d bytes", most)
	}
	if err != nil {
		return nil, faultf(http.StatusBadRequest, codeParse, "the message broke off")
	}
	_ = rc.SetReadDeadline(time.Time{})
	return body, nil
}

// readAll reads a body. If it tells how long it is, and is not long, it is read
// into as much as it needs.
func readAll(r io.Reader, length int64) ([]byte, error) {
	if length <= 0 || length > 64<<10 {
		return io.ReadAll(r)
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(t, "application/json")
}

// params are the parameters that any of the methods has.
type params struct {
	Meta      meta            `json:"_meta"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Cursor    string          `json:"cursor"`
	URI       string          `json:"uri"`
	RequestID jsonrpc.ID      `json:"requestId"`

	InputResponses map[string]json.RawMessage `json:"inputResponses"`
	RequestState   *string                    `json:"requestState"`

	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
	Context struct {
		Arguments map[string]string `json:"arguments"`
	} `json:"context"`

	Level Level `json:"level"`

	TaskID        string          `json:"taskId"`
	Task          json.RawMessage `json:"task"`
	Notifications notifications   `json:"notifications"`

	ProtocolVersion string          `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities"`
	ClientInfo      program         `json:"clientInfo"`
}

// meta is the part of a request's _meta that is ours to know.
type meta struct {
	Revision      string          `json:"io.modelcontextprotocol/protocolVersion"`
	Client        *program        `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	ProgressToken json.RawMessage `json:"progressToken"`
	LogLevel      Level           `json:"io.modelcontextprotocol/logLevel"`
}

type program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// decode reads the message. A response goes to the call that asked for it;
// only clients before 2026-07-28 send any.
func (x *exchange) decode(body []byte) error {
	req, resp, err := jsonrpc.Decode(body)
	x.req = req
	if err != nil {
		return &fault{http.StatusBadRequest, err.(*Error)}
	}
	if resp != nil {
		if header, _ := revisionHeader(x.r.Header); modern(header) {
			return faultf(http.StatusBadRequest, codeInvalidRequest, "a client must not send responses")
		}
		session := x.session
		if x.pair == nil {
			session = x.r.Header.Get(gomcp.HeaderSessionID)
		}
		x.s.asked.deliver(callKey{x.principal, session, resp.ID}, resp)
		x.answer.accepted()
		return errAnswered
	}
	if len(req.Params) == 0 {
		return nil
	}
	if err := jsonv2.Unmarshal(req.Params, &x.params, jsontext.AllowInvalidUTF8(true)); err != nil {
		return faultf(http.StatusBadRequest, codeInvalidParams, "the params are not of the types that the method has")
	}
	return nil
}
