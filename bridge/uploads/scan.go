package uploads

import (
	"context"
	"io"
	"net/http"
	"time"
)

// scanTimeout bounds the check of a file.
const scanTimeout = time.Minute

// scan asks the scanner about a file that has come. A file that cannot be checked is not taken.
func (s *Service) scan(ctx context.Context, u *Upload, content string, size int64) error {
	if s.ScanURL == "" {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, scanTimeout)
	defer cancel()
	of := *u
	of.Content = content
	of.Size = size
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.ScanURL, io.NopCloser(s.reader(ctx, &of)))
	if err != nil {
		return err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", u.MediaType)
	resp, err := scanner.Do(req)
	if err != nil {
		s.Log.ErrorContext(ctx, "scanning an upload", "err", err)
		return refuse(ErrAway, "The file cannot be checked now, so it is not taken. Try again later.")
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		s.Log.WarnContext(ctx, "the scanner refused an upload", "upload", u.ID, "status", resp.StatusCode)
		return refuse(ErrContent, "The check of this server refused the file.")
	}
	return nil
}

// scanner follows no redirect: the bytes go where the operator said, and nowhere else.
var scanner = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}
