package runner

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"rialto/a2a"
	"rialto/bridge/ledger"
	"strings"

	"github.com/google/uuid"
)

// Request is a message to an agent. Its JSON names are the arguments of send_task.
type Request struct {
	Message   string          `json:"message"`
	Agent     string          `json:"agent"`
	Skill     string          `json:"skill"`
	TaskID    string          `json:"task_id"`
	ContextID string          `json:"context_id"`
	Files     []File          `json:"files"`
	Data      json.RawMessage `json:"data"`
	MessageID string          `json:"message_id"`

	Pause string `json:"-"` // id of the message that began the pause to answer; "" is the present pause
}

// File is a file by content or by reference.
type File struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Bytes     []byte `json:"bytes"`
	URL       string `json:"url"`
}

func userMessage(args *Request) (*a2a.Message, error) {
	if strings.TrimSpace(args.Message) == "" {
		return nil, ledger.InputError{Text: "The argument \"message\" is empty. Say what the agent should do, for example: \"List the ten largest claims.\""}
	}
	m := &a2a.Message{ID: args.MessageID, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(args.Message)}}
	if m.ID == "" {
		m.ID = uuid.NewString()
	}
	for i, f := range args.Files {
		p, err := f.part()
		if err != nil {
			return nil, ledger.InputError{Text: fmt.Sprintf("files[%d] %v", i, err)}
		}
		m.Parts = append(m.Parts, p)
	}
	if len(args.Data) > 0 && string(args.Data) != "null" {
		m.Parts = append(m.Parts, a2a.Part{Content: a2a.Data(args.Data), MediaType: "application/json"})
	}
	return m, nil
}

// digest tells the message of a call from others, if the call names it.
func (a *Request) digest(m *a2a.Message) string {
	if a.MessageID == "" {
		return ""
	}
	named := *m
	named.TaskID, named.ContextID = a2a.TaskID(a.TaskID), a.ContextID
	return ledger.Digest(&named)
}

func (f File) part() (a2a.Part, error) {
	p := a2a.Part{Filename: f.Name, MediaType: f.MediaType}
	u, err := url.Parse(f.URL)
	switch {
	case f.URL != "" && f.Bytes != nil:
		return p, errors.New("has both \"bytes\" and \"url\": give one of them")
	case f.URL != "" && (err != nil || u.Scheme == "" || u.Host+u.Opaque == ""):
		return p, errors.New("has a \"url\" that is none: give a whole one, such as https://example.com/report.csv, or the content as \"bytes\" (base64)")
	case f.URL != "" && u.Scheme == "data":
		return f.inline(p)
	case f.URL != "":
		p.Content = a2a.URL(f.URL)
	case f.Bytes != nil:
		p.Content = a2a.Raw(f.Bytes)
	default:
		return p, errors.New("has no content: give \"bytes\" (base64) or \"url\"")
	}
	return p, nil
}

// inline is the part of a file with a data: URL (RFC 2397), which few agents read.
func (f File) inline(p a2a.Part) (a2a.Part, error) {
	head, content, ok := strings.Cut(f.URL[len("data:"):], ",")
	kind, coded := strings.CutSuffix(head, ";base64")
	text, err := url.PathUnescape(content)
	b := []byte(text)
	if err == nil && coded {
		b, err = base64.StdEncoding.DecodeString(text)
	}
	if !ok || err != nil {
		return p, errors.New("has a \"url\" that begins as a data: URL and is none: give its content as \"bytes\" (base64)")
	}
	p.Content, p.MediaType = a2a.Raw(b), cmp.Or(p.MediaType, kind)
	return p, nil
}
