package doctor

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// TestATokenStaysAtItsAddress examines a server whose documents and whose answers to calls lead to another
// one.
func TestATokenStaysAtItsAddress(t *testing.T) {
	const token = "t0ken-of-somebody"
	var asked atomic.Int64
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(fmt.Sprint(r.Header, r.URL, string(body)), token) {
			t.Errorf("%s %s has the token", r.Method, r.URL)
		}
		http.NotFound(w, r)
	}))
	g := newRig(t, func(x *exchange) {
		if x.r.Method == http.MethodGet {
			x.w.Body = bytes.NewBuffer(bytes.ReplaceAll(x.w.Body.Bytes(), []byte("http://"+x.r.Host), []byte(other)))
		}
		if x.says("tools/call") {
			x.w.Code = http.StatusTemporaryRedirect
			x.w.Header().Set("Location", other+"/mcp")
		}
	})
	g.live[token] = true
	report := g.examine(t, func(d *Doctor) {
		d.Login = nil
		d.Token = token
	})
	if asked.Load() == 0 || len(report.With(Failed)) == 0 {
		t.Errorf("nothing led to the other server: %+v", report.Verdict)
	}
}
