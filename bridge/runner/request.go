package runner

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/uploads"
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

	Attachments uploads.Attachments `json:"attachments"`

	Pause string `json:"-"` // id of the message that began the pause to answer; "" is the present pause
}

// File is a file by content or by reference.
type File struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Bytes     []byte `json:"bytes"`
	URL       string `json:"url"`
	Upload    string `json:"upload"` // the id of a file that is sent apart
}

// SendRequest sends the message of a request.
func (r *Runner) SendRequest(
	ctx context.Context, access directory.Access, a *Request,
) (*Sent, error) {
	m, err := a.message()
	if err != nil {
		return nil, err
	}
	m.attach(access, a.Attachments)
	return r.Send(ctx, access, m)
}

// attach adds files of the chat, which are fetched when the message is sent. A message that is
// repeated names the same uploads again, so that its files are not fetched again.
func (m *Message) attach(access directory.Access, files uploads.Attachments) {
	of := m.SendRequest.Message
	first := len(of.Parts)
	for _, f := range files {
		of.Parts = append(of.Parts, uploads.Part(f.FileID))
	}
	digest := ledger.Digest(of)
	for i := range files {
		id := uuid.New()
		if digest != "" {
			name := fmt.Sprint(access.User(), "\x00", access.Connector(), "\x00", digest, i)
			id = uuid.NewSHA1(uuid.NameSpaceURL, []byte(name))
		}
		files[i].Upload = id.String()
		of.Parts[first+i] = uploads.Part(id.String())
	}
	m.Attachments = files
}

// message returns the message of a request. Its error is an InputError.
func (a *Request) message() (*Message, error) {
	if strings.TrimSpace(a.Message) == "" {
		return nil, ledger.InputError{
			Text: "The argument \"message\" is empty. Say what the agent should do, for example: \"List the ten largest claims.\"",
		}
	}

	m := &a2a.Message{
		ID:        a.MessageID,
		TaskID:    a2a.TaskID(a.TaskID),
		ContextID: a.ContextID,
		Role:      a2a.RoleUser,
		Parts:     []a2a.Part{a2a.TextPart(a.Message)},
	}
	if a.Skill != "" {
		m.Metadata = a2a.Metadata{directory.SkillKey: a.Skill}
	}

	for i, f := range a.Files {
		p, err := f.part()
		if err != nil {
			return nil, ledger.InputError{Text: fmt.Sprintf("files[%d] %v", i, err)}
		}
		m.Parts = append(m.Parts, p)
	}

	if len(a.Data) > 0 && string(a.Data) != "null" {
		m.Parts = append(m.Parts, a2a.Part{Content: a2a.Data(a.Data), MediaType: "application/json"})
	}

	return &Message{SendRequest: a2a.SendRequest{Message: m}, Agent: a.Agent, Pause: a.Pause}, nil
}

func (f File) part() (a2a.Part, error) {
	p := a2a.Part{Filename: f.Name, MediaType: f.MediaType}
	u, err := url.Parse(f.URL)
	switch {
	case f.Upload != "" && (f.URL != "" || f.Bytes != nil):
		return p, errors.New("has \"upload\" and its content: give one of them")
	case f.Upload != "":
		p.Content = uploads.Part(f.Upload).Content
	case f.URL != "" && f.Bytes != nil:
		return p, errors.New("has both \"bytes\" and \"url\": give one of them")
	case f.URL != "" && (err != nil || u.Scheme == "" || u.Host+u.Opaque == ""):
		return p, errors.New(
			"has a \"url\" that is none: give a whole one, such as https://example.com/report.csv, or the content as \"bytes\" (base64)",
		)
	case f.URL != "" && u.Scheme == "data":
		return f.inline(p)
	case f.URL != "":
		p.Content = a2a.URL(f.URL)
	case f.Bytes != nil:
		p.Content = a2a.Raw(f.Bytes)
	default:
		return p, errors.New("has no content: give \"upload\" (from request_upload), \"bytes\" (base64) or \"url\"")
	}

	return p, nil
}

// fileOf returns the content or the address of a part as a file.
func fileOf(p a2a.Part) File {
	f := File{Name: p.Filename, MediaType: p.MediaType}
	switch c := p.Content.(type) {
	case a2a.Raw:
		f.Bytes = append([]byte{}, c...)
	case a2a.URL:
		f.URL = string(c)
	}
	return f
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
		return p, errors.New(
			"has a \"url\" that begins as a data: URL and is none: give its content as \"bytes\" (base64)",
		)
	}

	p.Content, p.MediaType = a2a.Raw(b), cmp.Or(p.MediaType, kind)
	return p, nil
}
