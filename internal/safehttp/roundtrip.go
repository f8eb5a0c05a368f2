package safehttp

import (
	"io"
	"net/http"
)

// HTTP returns a client for libraries that want one, under the rules of Get: it goes where Get may
// go, follows no redirect, and breaks off an answer that is too large with ErrTooLarge.
func (c *Client) HTTP() *http.Client {
	return &http.Client{
		Transport:     roundTripper{c},
		Timeout:       c.timeout(),
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
	// A compressed answer could be small on the wire and endless in memory.
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "rialto")
	resp, err := t.c.transport(u).RoundTrip(req)
	if err != nil {
		return nil, blocked(err)
	}

	resp.Body = &bounded{ReadCloser: resp.Body, left: t.c.maxBytes() + 1}
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
	b.left -= int64(n)
	if b.left <= 0 {
		return n, ErrTooLarge
	}
	return n, err
}
