package uploads

import (
	"context"
	"encoding/hex"
	"fmt"
	"mime"
	"strings"
	"time"

	"github.com/google/uuid"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// File is what a caller says of a file that it is going to send.
type File struct {
	Name     string `json:"name"`
	MIMEType string `json:"mime_type"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"` // in hex
}

// Link is where a file can be sent, once. The names are those of the transfer of SEP-2631, in the
// spelling of our tools.
type Link struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Transport string            `json:"transport"`
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	PageURL   string            `json:"page_url"`
	Curl      string            `json:"curl"`
	ExpiresAt time.Time         `json:"expires_at"`
}

// Request makes a link for each file. Its errors are InputErrors.
func (s *Service) Request(
	ctx context.Context, access directory.Access, files []File,
) ([]Link, error) {
	links := make([]Link, 0, len(files))
	for i, f := range files {
		u, err := s.newUpload(access, f)
		if err != nil {
			return nil, ledger.InputError{Text: fmt.Sprintf("files[%d] %v", i, err)}
		}
		if err := s.add(ctx, u); err != nil {
			return nil, inputError(err)
		}
		links = append(links, s.link(u))
	}
	return links, nil
}

// newUpload returns an upload for a file. Its error says what is wrong.
func (s *Service) newUpload(access directory.Access, f File) (*Upload, error) {
	u := &Upload{
		ID:        uuid.NewString(),
		Owner:     access.User(),
		Connector: access.Connector(),
		Name:      fileName(f.Name),
		SHA256:    strings.ToLower(f.SHA256),
		Size:      f.Size,
		Expires:   s.Now().Add(LinkTTL).Truncate(time.Second),
	}

	digest, err := hex.DecodeString(f.SHA256)
	switch {
	case f.Size > s.MaxSize:
		return nil, refuse(
			ErrTooLarge, "is too large: at most %d bytes are taken (uploads.size)", s.MaxSize,
		)
	case f.Size < 0:
		return nil, refuse(ErrContent, "has a negative size")
	case f.SHA256 != "" && (err != nil || len(digest) != 32):
		return nil, refuse(ErrContent, "has a sha256 that is not 64 hex digits")
	case f.Size == 0:
		u.Size = s.MaxSize
	}

	if f.MIMEType != "" {
		u.MediaType, err = parseType(f.MIMEType)
		if err != nil {
			return nil, err
		}
	}
	return u, nil
}

func (s *Service) add(ctx context.Context, u *Upload) error {
	most := Bounds{
		Files:   PerUser,
		OfOwner: s.OfOwner,
		All:     s.All,
	}
	return s.Store.AddUpload(ctx, u, hashOf(s.secret(u.ID)), s.Now(), most)
}

func (s *Service) link(u *Upload) Link {
	url := s.Link(u)
	l := Link{
		ID:        u.ID,
		Name:      u.Name,
		Transport: "https",
		Method:    "PUT",
		URL:       url,
		Headers:   map[string]string{},
		PageURL:   url,
		Curl: "curl -sS --fail-with-body -T " +
			sanitize.ShellWord("./"+u.Name) + " " + sanitize.ShellWord(url),
		ExpiresAt: u.Expires,
	}
	if u.MediaType != "" {
		l.Headers["Content-Type"] = u.MediaType
	}
	return l
}

// inputError returns err as what a model can act on, where it is that.
func inputError(err error) error {
	if is, ok := err.(Refusal); ok {
		return ledger.InputError{Text: is.Error()}
	}
	switch err {
	case ErrTooMany:
		return ledger.InputError{Text: fmt.Sprintf(
			"There are too many uploads that no task has yet (%d of a user, uploads.stored_per_user "+
				"and uploads.stored). Send those that have come with send_task, or wait until links expire.",
			PerUser,
		)}
	case ErrNone:
		return ledger.InputError{Text: "There is no such upload. Take the id from the result of " +
			"request_upload of this same user and connector; an upload that expired is gone."}
	}
	return err
}

// fileName returns the last element of a path without what is not for names, and at most MaxName
// bytes.
func fileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimLeft(strings.TrimSpace(sanitize.Line(name)), ".")
	if len(name) > MaxName { // the end has the extension
		name = strings.ToValidUTF8(name[len(name)-MaxName:], "")
	}
	if name == "" {
		return "file"
	}
	return name
}

// parseType returns a media type without its parameters.
func parseType(s string) (string, error) {
	t, _, err := mime.ParseMediaType(s)
	if err != nil || !strings.Contains(t, "/") {
		return "", refuse(
			ErrMediaType, "has a mime_type that is none: %s", sanitize.Short(s, 100),
		)
	}
	return t, nil
}
