package uploads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/safehttp"
)

const (
	fetchTimeout   = 30 * time.Second // a file of a chat app
	fetchRedirects = 3
	maxFetched     = 20 // files of one call
)

// Attachment is a file of the chat as ChatGPT gives it to a tool (openai/fileParams).
type Attachment struct {
	DownloadURL string `json:"download_url"` // "" if the app gave none
	FileID      string `json:"file_id"`
	MIMEType    string `json:"mime_type"`
	FileName    string `json:"file_name"`

	Upload string `json:"-"` // the id of the upload that it becomes
}

// Attachments are the files of a chat. An app on a phone may give a string in place of each, or of
// all.
type Attachments []Attachment

// UnmarshalJSON implements json.Unmarshaler.
func (all *Attachments) UnmarshalJSON(b []byte) error {
	var given []json.RawMessage
	if json.Unmarshal(b, &given) != nil {
		given = []json.RawMessage{b}
	}
	for _, raw := range given {
		var a Attachment
		if json.Unmarshal(raw, &a) != nil {
			a = Attachment{FileID: string(raw)}
		}
		*all = append(*all, a)
	}
	return nil
}

// Fetch gets files of a chat from the chat app, except those that came before. If the app gave no
// address, the error has a link for the person.
func (s *Service) Fetch(ctx context.Context, access directory.Access, files Attachments) error {
	if len(files) > maxFetched {
		return ledger.InputError{Text: fmt.Sprintf(
			"There are %d attachments. Send at most %d with one message.", len(files), maxFetched,
		)}
	}
	for i, a := range files {
		if a.DownloadURL == "" {
			return s.offerLink(ctx, access, i)
		}
		_, err, _ := s.fetching.Do(a.Upload, func() (any, error) { // for all equal calls
			return nil, s.fetchOnce(context.WithoutCancel(ctx), access, a)
		})
		err = inputError(err)
		if input, ok := errors.AsType[ledger.InputError](err); ok {
			input.Text = fmt.Sprintf("attachments[%d]: %s", i, input.Text)
			return input
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) fetchOnce(ctx context.Context, access directory.Access, a Attachment) error {
	u, err := s.Store.Upload(ctx, a.Upload)
	if errors.Is(err, ErrNone) {
		u, err = s.newUpload(access, File{Name: a.FileName, MIMEType: a.MIMEType})
		if err == nil {
			u.ID = a.Upload
			err = s.add(ctx, u)
		}
	}
	if err != nil || u.Content != "" {
		return err
	}

	err = s.fetch(ctx, u, a.DownloadURL)
	switch {
	case errors.Is(err, ErrUsed): // another replica has fetched it
		_, err = s.Store.Upload(ctx, u.ID)
	case err != nil:
		s.forget(ctx, u)
	}
	return err
}

// forget makes room for another file. If it fails, the link expires after an hour.
func (s *Service) forget(ctx context.Context, u *Upload) {
	ctx, cancel := context.WithTimeout(ctx, dropTime)
	defer cancel()
	err := s.Store.DropUpload(ctx, u.ID)
	if err != nil {
		s.Log.WarnContext(ctx, "deleting a file that was not fetched", "err", err)
	}
}

// offerLink is the error for a file that the chat app does not give.
func (s *Service) offerLink(ctx context.Context, access directory.Access, i int) error {
	links, err := s.Request(ctx, access, []File{{Name: "file"}})
	if err != nil {
		return err
	}
	return ledger.InputError{Text: fmt.Sprintf(
		"The chat app gave no address for attachments[%d]. Show the person this link to send the file: %s. "+
			"Then call the tool again without attachments, with files: [{\"upload\": %q}].",
		i, links[0].PageURL, links[0].ID,
	)}
}

// fetch takes a file from an address. The guarded client goes to public addresses alone, on
// redirects as well.
func (s *Service) fetch(ctx context.Context, u *Upload, address string) error {
	client := safehttp.Client{
		Timeout:  fetchTimeout,
		MaxBytes: s.MaxSize + chunkSize,
		Loopback: s.FetchLoopback,
	}
	from := client.HTTP()
	from.CheckRedirect = fewRedirects
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return refuse(ErrContent, "The address of the file is none.")
	}
	resp, err := from.Do(req)
	if err != nil {
		return refuse(ErrContent, "The file could not be fetched from the chat app.")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refuse(ErrContent, "The chat app refused to give the file (status %d).", resp.StatusCode)
	}
	return s.take(ctx, u, resp.Body, resp.ContentLength)
}

func fewRedirects(_ *http.Request, via []*http.Request) error {
	if len(via) > fetchRedirects {
		return safehttp.ErrRedirect
	}
	return nil
}
