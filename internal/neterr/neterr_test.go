package neterr_test

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/internal/neterr"
)

// TestAPeerThatIsNotReached asks peers that fail in each way, and one whose failure has no words here.
func TestAPeerThatIsNotReached(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	rude, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer rude.Close()
	go func() {
		for {
			c, err := rude.Accept()
			if err != nil {
				return
			}
			c.(*net.TCPConn).SetLinger(0) // a reset, not an end
			c.Read(make([]byte, 1))
			c.Close()
		}
	}()

	for address, want := range map[string]error{
		gone.URL:                         neterr.Refused,
		"http://nobody.invalid":          neterr.Unresolved,
		"http://" + rude.Addr().String(): neterr.Broken,
		"https" + plain.URL[4:]:          neterr.TakesPlain,
	} {
		_, err := http.Get(address)
		if got := neterr.Explain(err); got != want {
			t.Errorf("%s: got %q of %v, want %q", address, got, err, want)
		}
	}
	hasty := &http.Client{Timeout: 100 * time.Millisecond}
	_, err = hasty.Get("http://" + silent.Addr().String())
	if got := neterr.Explain(err); got != error(neterr.Late) {
		t.Errorf("got %q of %v, want %q", got, err, neterr.Late)
	}
	_, err = http.Get(secure.URL)
	if got := neterr.Explain(err).Error(); got != "its certificate is not valid: certificate signed by unknown authority" {
		t.Errorf("got %q", got)
	}
	demanding := httptest.NewUnstartedServer(http.NotFoundHandler())
	demanding.Config.ErrorLog = secure.Config.ErrorLog
	demanding.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	demanding.StartTLS()
	defer demanding.Close()
	_, err = demanding.Client().Get(demanding.URL)
	if got := neterr.Explain(err).Error(); got != "it refused the TLS connection: certificate required" {
		t.Errorf("got %q of %v", got, err)
	}
	if got := neterr.Explain(io.EOF); !errors.Is(got, io.EOF) {
		t.Errorf("got %v", got)
	}
	if got := neterr.Explain(nil); got != nil {
		t.Errorf("got %v", got)
	}
	alert := errors.New(`malformed HTTP response "\x15\x03\x01\x00\x02\x02"`)
	if got := neterr.Explain(alert); got != error(neterr.TakesTLS) || strings.Contains(got.Error(), "x15") {
		t.Errorf("got %v", got)
	}
}
