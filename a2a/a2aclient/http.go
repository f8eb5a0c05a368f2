package a2aclient

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// CloseIdleConnections closes the connections over HTTP that no call uses.
func (d *Dialer) CloseIdleConnections() { d.http().CloseIdleConnections() }

func (d *Dialer) http() *http.Client {
	if d.HTTP != nil {
		return d.HTTP
	}
	d.once.Do(func() { d.own = newHTTPClient(d.TLS, d.MaxConns) })
	return d.own
}

// newHTTPClient bounds each step but the body. Headers may take long, for an
// agent that was asked to wait answers when the task has ended.
func newHTTPClient(secure *tls.Config, most int) *http.Client {
	conns := &conns{
		most:   most,
		dialer: net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second},
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            conns.dial,
			TLSClientConfig:        secure.Clone(),
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  10 * time.Minute,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    64,
			MaxResponseHeaderBytes: 64 << 10,
			IdleConnTimeout:        90 * time.Second,
		},
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
