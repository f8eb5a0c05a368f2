package a2aclient_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// TestAnAgentThatSpeaksTheOtherSchemeIsSaidTo dials agents over HTTPS that speak plain
// HTTP, and the other way round: what was said of it was about records of TLS, a
// malformed response, or a card that was not found.
func TestAnAgentThatSpeaksTheOtherSchemeIsSaidTo(t *testing.T) {
	const takesTLS = "it speaks HTTPS and was asked over plain HTTP; write https:// in its URL"
	says := func(words string) string { // as nginx does
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, "<html><center>"+words+"</center></html>")
		}))
		t.Cleanup(web.Close)
		return web.URL
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for name, c := range map[string]struct{ url, words string }{
		"plain, over HTTPS": {strings.Replace(plain.URL, "http:", "https:", 1), "it speaks plain HTTP and was asked over HTTPS; let it serve TLS, or write http:// in its URL"},
		"TLS, over HTTP":    {strings.Replace(secure.URL, "https:", "http:", 1), takesTLS},
		"TLS, of nginx":     {says("The plain HTTP request was sent to HTTPS port"), takesTLS},
		"TLS, of Apache":    {says("You're speaking plain HTTP to an SSL-enabled server port."), takesTLS},
		"TLS, with alerts":  {alerting(t), takesTLS},
	} {
		t.Run(name, func(t *testing.T) {
			for _, client := range []*http.Client{nil, {}} {
				_, err := (&a2aclient.Dialer{HTTP: client}).Dial(t.Context(), c.url)
				if !a2a.Is(err, a2a.Unavailable) || !strings.Contains(err.Error(), c.words) {
					t.Errorf("its card: got %v, want %q", err, c.words)
				}
				agent, err := (&a2aclient.Dialer{HTTP: client, Protocol: a2a.V10}).Dial(t.Context(), c.url)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := agent.Send(t.Context(), a2atest.Say("x")); !a2a.Is(err, a2a.Unavailable) || !strings.Contains(err.Error(), c.words) {
					t.Errorf("a call: got %v, want %q", err, c.words)
				}
			}
		})
	}
}

// alerting serves TLS as those do who answer with an alert what is no TLS, and returns
// its URL with the wrong scheme.
func alerting(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Read(make([]byte, 64<<10)) // all of it, or closing would reset the connection
			io.WriteString(c, "\x15\x03\x01\x00\x02\x02\x46")
			c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}
