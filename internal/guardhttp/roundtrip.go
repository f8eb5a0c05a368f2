package guardhttp

import (
	"cmp"
	"io"
	"net/http"
	"time"
)

// HTTP returns a client for libraries that want one, under the rules of Get: it goes where Get may
// go, follows no redirect, and breaks off an answer that is too large with ErrTooLarge.
func (c *Client) HTTP() *http.Client {
	return &http.Client{
		Transport:     roundTripper{c},
		Timeout:       cmp.Or(c.Timeout, 5*time.Second),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type roundTripper struct{ c *Client }

// RoundTrip implements http.RoundTripper.
func (t roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	u, err := t.c.check(req.URL.String())
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "rialto")
	resp, err := t.c.transport(u).RoundTrip(req)
	if err != nil {
		return nil, blocked(err)
	}
	limit := cmp.Or(t.c.MaxBytes, 64<<10)
	resp.Body = &bounded{ReadCloser: resp.Body, left: limit + 1}
	return resp, nil
}

// bounded is a body that ends with an error before it is read without end.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left <= 0 {
		return n, ErrTooLarge
	}
	return n, err
}
