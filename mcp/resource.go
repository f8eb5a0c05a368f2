package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// Resource is something that a client can read under a URI.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Size        int64  `json:"size,omitempty"` // in bytes; zero if unknown
	Icons       []Icon `json:"icons,omitempty"`

	// Earlier begins the URIs that it had, under which it is read as well; "" is none.
	Earlier string `json:"-"`

	// Read returns what it holds.
	Read func(context.Context, *Read) ([]Contents, error) `json:"-"`
}

// ResourceTemplate is a set of resources whose URIs have one form.
type ResourceTemplate struct {
	URITemplate string `json:"uriTemplate"` // RFC 6570
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	Icons       []Icon `json:"icons,omitempty"`

	// Read returns what the resource holds, or ErrNoResource. It is called for every
	// URI of the form, whether such a resource exists or not.
	Read func(context.Context, *Read) ([]Contents, error) `json:"-"`
}

// ErrNoResource says that the URI names no resource of this principal.
var ErrNoResource = errors.New("no such resource")

// ResourceLister lists resources that differ between principals, or change. It is used concurrently.
type ResourceLister interface {
	// ListResources returns the resources of a principal, without Read: a template reads them. The list has
	// one page. The context is the request's.
	ListResources(ctx context.Context, principal string) ([]Resource, error)
}

// Read is one request for a resource.
type Read struct {
	URI       string
	Variables map[string]string // the values of a template's variables in the URI
	Principal string            // whom it acts for, "" if anonymous
	Client    Client

	elicitor *elicitor
}

// Ask asks the client, as Call.Ask does.
func (r *Read) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	return r.elicitor.ask(ctx, questions)
}

// Contents is what a resource holds, or a part of it: Text, or Data if that is not nil.
type Contents struct {
	URI, MIMEType, Text string
	Data                []byte
	Meta                json.RawMessage // the member _meta, nil if there is none
}

// MarshalJSON writes what resources/read shows.
func (c Contents) MarshalJSON() ([]byte, error) {
	shown := struct {
		URI      string          `json:"uri"`
		MIMEType string          `json:"mimeType,omitempty"`
		Meta     json.RawMessage `json:"_meta,omitzero"`
		Blob     []byte          `json:"blob,omitzero"`
		Text     *string         `json:"text,omitzero"`
	}{URI: c.URI, MIMEType: c.MIMEType, Meta: c.Meta, Blob: c.Data}
	if c.Data == nil {
		shown.Text = &c.Text
	}

	return json.Marshal(shown)
}

// template is a ResourceTemplate that can be matched.
type template struct {
	ResourceTemplate
	form gomcp.URITemplate
}

func (b *built) makeResources(s *Server) error {
	var resources, apps, templates []any
	if len(s.Resources)+len(s.Templates) == 0 && s.Extensions.Skills == nil {
		return nil
	}

	b.resources = make(map[string]*Resource, len(s.Resources))
	for i := range s.Resources {
		r := &s.Resources[i]
		if r.URI == "" || r.Name == "" || r.Read == nil || b.resources[r.URI] != nil {
			return fmt.Errorf(
				"mcp: resource %q has no URI, no name or nothing to read, or there are two", r.URI,
			)
		}
		b.resources[r.URI] = r
		if r.MIMEType == AppMIMEType {
			apps = append(apps, r)
		} else {
			resources = append(resources, r)
		}
	}

	for _, t := range s.Templates {
		ready := &template{ResourceTemplate: t}
		if err := json.Unmarshal(
			[]byte(quoted(t.URITemplate)), &ready.form,
		); err != nil || t.Name == "" ||
			t.Read == nil {
			return fmt.Errorf(
				"mcp: resource template %q is not one, or has no name or nothing to read: %w",
				t.URITemplate,
				err,
			)
		}
		b.templates = append(b.templates, ready)
		templates = append(templates, t)
	}

	var err1, err2, err3 error
	b.apps, err1 = b.newPage(true, "resources", apps)
	b.lists["resources/list"], err2 = b.newListing("resources", resources, resources)
	b.lists["resources/templates/list"], err3 = b.newListing(
		"resourceTemplates", templates, templates,
	)
	return errors.Join(err1, err2, err3)
}
