package a2aclient

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"rialto/internal/directhttp"
)

func (d *Dialer) http() *http.Client {
	if d.HTTP != nil {
		return d.HTTP
	}
	d.once.Do(func() { d.own = newHTTPClient(d.TLS) })
	return d.own
}

// newHTTPClient bounds each step but the body. Headers may take long, for an
// agent that was asked to wait answers when the task has ended.
func newHTTPClient(secure *tls.Config) *http.Client {
	return &http.Client{
		Transport: &directhttp.Transport{Next: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSClientConfig:        secure.Clone(),
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  10 * time.Minute,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    64,
			MaxResponseHeaderBytes: 64 << 10,
			IdleConnTimeout:        90 * time.Second,
		}},
		CheckRedirect: sameHost,
	}
}

// sameHost refuses redirects to other hosts: a message and its credentials are
// for the host they were sent to.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > 3 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// sendHTTP sends req, which is bound for an agent. What http.Client does besides is
// about redirects and about URLs that hold a password, and it copies each header for
// it; so it is asked only where there is one.
func (d *Dialer) sendHTTP(req *http.Request) (*http.Response, error) {
	client := d.http()
	if client == d.HTTP || req.URL.User != nil {
		return client.Do(req)
	}
	resp, err := client.Transport.RoundTrip(req)
	if err != nil || resp.StatusCode/100 != 3 {
		return resp, err
	}
	follow := *client
	follow.Transport = &answered{resp, client.Transport}
	return follow.Do(req)
}

// answered is a RoundTripper whose first answer is there already. Only one call may
// use it.
type answered struct {
	first *http.Response
	http.RoundTripper
}

func (a *answered) RoundTrip(req *http.Request) (*http.Response, error) {
	if resp := a.first; resp != nil {
		a.first = nil
		return resp, nil
	}
	return a.RoundTripper.RoundTrip(req)
}
