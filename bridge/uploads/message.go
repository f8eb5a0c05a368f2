package uploads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// scheme begins the address of a part that names an upload.
const scheme = "upload:"

// Part returns a part that names an upload.
func Part(id string) a2a.Part { return a2a.Part{Content: a2a.URL(scheme + id)} }

// named returns the id of the upload that a part names.
func named(p a2a.Part) (id string, ok bool) {
	address, _ := p.Content.(a2a.URL)
	return strings.CutPrefix(string(address), scheme)
}

// Names reports whether a message names uploads.
func Names(m *a2a.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p a2a.Part) bool {
		_, ok := named(p)
		return ok
	})
}

// Find returns the uploads that parts name, and the parts with what is known of the files. An
// upload of another owner or connector does not exist. Its errors are InputErrors, unless the store
// fails.
func (s *Service) Find(
	ctx context.Context, access directory.Access, parts []a2a.Part,
) ([]*Upload, []a2a.Part, error) {
	var found []*Upload
	parts = slices.Clone(parts)
	for i, p := range parts {
		id, ok := named(p)
		if !ok {
			continue
		}
		u, err := s.Store.Upload(ctx, id)
		if err == nil {
			err = s.usable(access, u, found)
		}
		if err != nil {
			return nil, nil, inputError(err)
		}
		found = append(found, u)
		parts[i].Filename = cmp.Or(p.Filename, u.Name)
		parts[i].MediaType = cmp.Or(u.MediaType, p.MediaType)
	}
	return found, parts, nil
}

// usable returns why a call cannot use an upload; nil if it can.
func (s *Service) usable(access directory.Access, u *Upload, before []*Upload) error {
	twice := slices.ContainsFunc(before, func(b *Upload) bool { return b.ID == u.ID })
	foreign := u.Owner != access.User() || u.Connector != access.Connector()
	switch {
	case foreign, !s.Now().Before(u.Expires):
		return ErrNone
	case u.Task != "", twice:
		return ErrTaken
	}
	return nil
}

// Deliverable returns a message as its agent gets it: with the bytes of uploads up to MaxInline,
// and links to larger ones.
func (s *Service) Deliverable(ctx context.Context, m *a2a.Message) (*a2a.Message, error) {
	out := *m
	out.Parts = slices.Clone(m.Parts)
	for i, p := range out.Parts {
		id, ok := named(p)
		if !ok {
			continue
		}
		u, err := s.Store.Upload(ctx, id)
		if err == nil && u.Content == "" {
			err = ErrNone
		}
		if err != nil {
			return nil, fmt.Errorf("the file %s: %w", p.Filename, err)
		}

		out.Parts[i].MediaType = u.MediaType
		if u.Size > MaxInline {
			out.Parts[i].Content = a2a.URL(s.fileURL(u))
			continue
		}
		bytes, err := io.ReadAll(s.reader(ctx, u))
		if err != nil {
			return nil, fmt.Errorf("the file %s: %w", p.Filename, err)
		}
		out.Parts[i].Content = a2a.Raw(bytes)
	}
	return &out, nil
}

// Delivered deletes the files of a message whose bytes its agent has. Those behind links stay until
// the task has ended.
func (s *Service) Delivered(ctx context.Context, m *a2a.Message) error {
	var failed error
	for _, p := range m.Parts {
		id, ok := named(p)
		if !ok {
			continue
		}
		u, err := s.Store.Upload(ctx, id)
		if err == nil && u.Size <= MaxInline {
			err = s.Store.DropContent(ctx, u.Content)
		}
		if err != nil && !errors.Is(err, ErrNone) {
			failed = err
		}
	}
	return failed
}

// LinksText tells a person where to send the files that are missing.
func (s *Service) LinksText(missing []*Upload) string {
	var b strings.Builder
	for _, u := range missing {
		fmt.Fprintf(&b, "\n%s: %s", u.Name, s.Link(u))
	}
	return b.String()
}

// Links returns the links of the files that a message names and that have not come, without those
// that have expired.
func (s *Service) Links(ctx context.Context, m *a2a.Message) ([]Link, error) {
	var links []Link
	for _, p := range m.Parts {
		id, ok := named(p)
		if !ok {
			continue
		}
		u, err := s.Store.Upload(ctx, id)
		switch {
		case errors.Is(err, ErrNone):
		case err != nil:
			return nil, err
		case u.Content == "" && s.Now().Before(u.Expires):
			links = append(links, s.link(u))
		}
	}
	return links, nil
}

// NoUploads is the error for a message that names an upload where there are none.
var NoUploads = ledger.InputError{Text: "This server takes no uploads (uploads.size). " +
	"Give the file as \"bytes\" or \"url\"."}
