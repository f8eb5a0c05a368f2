package safehttp_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"rialto/internal/safehttp"
)

// serve starts a real listener on loopback and counts the requests it gets.
func serve(t *testing.T, h http.HandlerFunc) (address string, requests chan *http.Request) {
	t.Helper()
	requests = make(chan *http.Request, 16)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"client_name":"x"}`)
}

func TestADocumentIsFetchedWithNothingOfOurs(t *testing.T) {
	address, requests := serve(t, document)
	c := &safehttp.Client{Loopback: true}
	doc, err := c.Get(t.Context(), address+"/client.json?v=1")
	if err != nil {
		t.Fatal(err)
	}
	if string(doc.Body) != `{"client_name":"x"}` || doc.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got %s with %v, want the document and its type", doc.Body, doc.Header)
	}
	r := <-requests
	if r.URL.RequestURI() != "/client.json?v=1" || r.Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("got %s, Accept-Encoding %q, want the path and no compression", r.URL, r.Header.Get("Accept-Encoding"))
	}
	if r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "" {
		t.Errorf("got credentials in %v", r.Header)
	}
}

func TestTheZeroValueRefusesThisComputer(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(document))
	t.Cleanup(s.Close)
	port := s.Listener.Addr().(*net.TCPAddr).Port
	var c safehttp.Client
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"} {
		_, err := c.Get(t.Context(), fmt.Sprintf("https://%s:%d/", host, port))
		if !errors.Is(err, safehttp.ErrBlocked) {
			t.Errorf("%s: got %v, want %v", host, err, safehttp.ErrBlocked)
		}
	}
}

func TestPrivateAndReservedAddressesAreRefused(t *testing.T) {
	var c safehttp.Client
	for _, host := range []string{
		"127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"0.0.0.0", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255",
		"[::1]", "[::]", "[fc00::1]", "[fe80::1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
	} {
		t.Run(host, func(t *testing.T) {
			if _, err := c.Get(t.Context(), "https://"+host+"/"); !errors.Is(err, safehttp.ErrBlocked) {
				t.Errorf("got %v, want %v", err, safehttp.ErrBlocked)
			}
		})
	}
}

func TestOnlyThePortOfHTTPSIsDialled(t *testing.T) {
	var c safehttp.Client
	for _, port := range []string{"22", "80", "8443"} {
		if _, err := c.Get(t.Context(), "https://192.0.2.1:"+port+"/"); !errors.Is(err, safehttp.ErrBlocked) {
			t.Errorf("port %s: got %v, want %v", port, err, safehttp.ErrBlocked)
		}
	}
}

func TestAddressesOfTheWrongFormAreRefusedUnsent(t *testing.T) {
	var c safehttp.Client
	for _, address := range []string{
		"", "client.json", "http://chat.example/", "ftp://chat.example/", "file:///etc/passwd", "https://", "https:///x",
		"https://user@chat.example/", "https://chat.example/#part", "https://chat.example/#", "https://chat.example/\x7f", "https://[::1",
	} {
		if _, err := c.Get(t.Context(), address); !errors.Is(err, safehttp.ErrURL) {
			t.Errorf("%q: got %v, want %v", address, err, safehttp.ErrURL)
		}
	}
}

func TestLoopbackForTestsOpensNothingElse(t *testing.T) {
	c := &safehttp.Client{Loopback: true}
	for _, host := range []string{"10.0.0.1", "169.254.169.254", "[fe80::1]"} {
		if _, err := c.Get(t.Context(), "http://"+host+"/"); !errors.Is(err, safehttp.ErrBlocked) {
			t.Errorf("%s: got %v, want %v", host, err, safehttp.ErrBlocked)
		}
	}
}

func TestAProxyOfTheEnvironmentIsNotAsked(t *testing.T) {
	proxy, asked := serve(t, document)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	var c safehttp.Client
	if _, err := c.Get(t.Context(), "https://10.0.0.1/"); !errors.Is(err, safehttp.ErrBlocked) {
		t.Errorf("got %v, want %v", err, safehttp.ErrBlocked)
	}
	if len(asked) != 0 {
		t.Error("the proxy was asked")
	}
}

func TestRedirectsAreReportedAndNotFollowed(t *testing.T) {
	target, reached := serve(t, document)
	for _, status := range []int{301, 302, 303, 307, 308} {
		address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
		c := &safehttp.Client{Loopback: true}
		_, err := c.Get(t.Context(), address)
		if !errors.Is(err, safehttp.ErrRedirect) || !strings.Contains(err.Error(), target) {
			t.Errorf("%d: got %v, want %v and where to", status, err, safehttp.ErrRedirect)
		}
	}
	if len(reached) != 0 {
		t.Error("a redirect was followed")
	}
}

func TestOnly200IsADocument(t *testing.T) {
	for _, status := range []int{201, 204, 400, 403, 404, 500, 503} {
		address, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		c := &safehttp.Client{Loopback: true}
		if _, err := c.Get(t.Context(), address); !errors.Is(err, safehttp.ErrStatus) {
			t.Errorf("%d: got %v, want %v", status, err, safehttp.ErrStatus)
		}
	}
}

func TestADocumentMayFillTheLimitAndNotOneByteMore(t *testing.T) {
	for size, want := range map[int]error{1024: nil, 1025: safehttp.ErrTooLarge, 1 << 20: safehttp.ErrTooLarge} {
		address, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", size)) })
		c := &safehttp.Client{Loopback: true, MaxBytes: 1024}
		if _, err := c.Get(t.Context(), address); !errors.Is(err, want) {
			t.Errorf("%d bytes: got %v, want %v", size, err, want)
		}
	}
}

func TestAnEndlessHeaderIsCut(t *testing.T) {
	address, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("x", 1<<20)) })
	c := &safehttp.Client{Loopback: true}
	if _, err := c.Get(t.Context(), address); err == nil {
		t.Error("got a document, want an error")
	}
}

func TestASlowServerIsLeft(t *testing.T) {
	address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush() // a header, and then nothing
		<-r.Context().Done()
	})
	c := &safehttp.Client{Loopback: true, Timeout: 50 * time.Millisecond}
	if _, err := c.Get(t.Context(), address); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestACertificateOfNobodyIsRefused(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(document))
	t.Cleanup(s.Close)
	s.Config.ErrorLog = nil
	c := &safehttp.Client{Loopback: true}
	if _, err := c.Get(t.Context(), s.URL); err == nil {
		t.Error("got a document over an unknown certificate, want an error")
	}
	c.RootCAs = x509.NewCertPool()
	c.RootCAs.AddCert(s.Certificate())
	if _, err := c.Get(t.Context(), s.URL); err != nil {
		t.Errorf("got %v over a certificate that we trust, want the document", err)
	}
}

func TestAPostBringsItsBodyAndHeader(t *testing.T) {
	var got string
	address, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = string(b)
		w.WriteHeader(http.StatusAccepted)
	})
	c := &safehttp.Client{Loopback: true}
	if err := c.Post(t.Context(), address, http.Header{"X-Token": {"t"}}, []byte("news")); err != nil {
		t.Fatal(err)
	}
	if r := <-requests; r.Method != "POST" || r.Header.Get("X-Token") != "t" || got != "news" {
		t.Errorf("got %s with %v and %q", r.Method, r.Header, got)
	}
	for status, want := range map[int]error{200: nil, 204: nil, 302: safehttp.ErrRedirect, 404: safehttp.ErrStatus, 500: safehttp.ErrStatus} {
		address, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if err := c.Post(t.Context(), address, nil, nil); !errors.Is(err, want) {
			t.Errorf("%d: got %v, want %v", status, err, want)
		}
	}
}

// TestAnOperatorMayAnswerForAHost holds that a name on the list opens that host
// and port, and nothing beside it.
func TestAnOperatorMayAnswerForAHost(t *testing.T) {
	address, _ := serve(t, document)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		allowed string
		ok      bool
	}{
		{u.Host, true}, {u.Hostname(), true}, {"localhost", false}, {u.Hostname() + ":1", false}, {"", false}, {"*", false},
	} {
		c := &safehttp.Client{Allowed: func() []string { return []string{tc.allowed} }}
		if err := c.Post(t.Context(), address, nil, nil); (err == nil) != tc.ok || c.IsAllowed(address) != tc.ok {
			t.Errorf("allowed %q: got %v, want success %v", tc.allowed, err, tc.ok)
		}
		if err := c.Post(t.Context(), "https://127.0.0.2/", nil, nil); !errors.Is(err, safehttp.ErrBlocked) {
			t.Errorf("allowed %q: another host: got %v, want %v", tc.allowed, err, safehttp.ErrBlocked)
		}
	}
}

// TestALibrarysClientKeepsTheRules is about HTTP, which libraries use that want
// an *http.Client.
func TestALibrarysClientKeepsTheRules(t *testing.T) {
	address, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/endless":
			for range 1000 {
				fmt.Fprint(w, strings.Repeat("x", 1000))
			}
		default:
			document(w, r)
		}
	})
	get := func(c *safehttp.Client, path string) (*http.Response, string, error) {
		t.Helper()
		resp, err := c.HTTP().Get(address + path)
		if err != nil {
			return nil, "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return resp, string(body), err
	}
	c := &safehttp.Client{Loopback: true}
	if resp, body, err := get(c, "/"); err != nil || resp.StatusCode != 200 || body != `{"client_name":"x"}` {
		t.Errorf("got %v, %q, %v, want the document", resp, body, err)
	}
	if r := <-requests; r.Header.Get("Accept-Encoding") != "identity" {
		t.Errorf("got Accept-Encoding %q, want no compression", r.Header.Get("Accept-Encoding"))
	}
	if resp, _, err := get(c, "/away"); err != nil || resp.StatusCode != http.StatusFound {
		t.Errorf("got %v, %v, want the redirect itself", resp, err)
	}
	if _, body, err := get(c, "/endless"); !errors.Is(err, safehttp.ErrTooLarge) || len(body) > 64<<10+1 {
		t.Errorf("got %d bytes, %v, want ErrTooLarge", len(body), err)
	}
	if _, _, err := get(&safehttp.Client{}, "/"); !errors.Is(err, safehttp.ErrURL) {
		t.Errorf("got %v, want ErrURL: plain http is for hosts that the operator vouches for", err)
	}
	host := strings.TrimPrefix(address, "http://")
	if _, _, err := get(&safehttp.Client{Allowed: func() []string { return []string{host} }}, "/"); err != nil {
		t.Errorf("a host that the operator vouches for: got %v", err)
	}
	if _, _, err := get(&safehttp.Client{Allowed: func() []string { return []string{"127.0.0.1:1"} }}, "/"); err == nil {
		t.Error("another port of that host was reached")
	}
}
