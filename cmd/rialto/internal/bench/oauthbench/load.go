package oauthbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"rialto/cmd/rialto/internal/bench/harness"
)

// codesPerSecond bounds the codes that are prepared for a second of load.
const codesPerSecond = 5000

// measure starts a server on a new database and measures its rows.
func (e engine) measure(name string, l harness.Load) (o outcome, err error) {
	dsn, drop, err := e.open()
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	p, err := harness.StartSelf(context.Background(), "serve-oauth", name, dsn)
	if err != nil {
		return o, err
	}
	defer p.Stop()
	return course{l, p}.run()
}

// tokens is an answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// course is a load on one server.
type course struct {
	harness.Load
	*harness.Process
}

// run measures one row after the other: each uses what the one before it got.
func (c course) run() (o outcome, err error) {
	work, err := c.prepare()
	if err != nil {
		return o, err
	}
	var mu sync.Mutex
	var got []tokens
	var next atomic.Int64
	o.rows[0], err = c.row(func(conn *harness.Conn, _ int) error {
		i := next.Add(1) - 1
		if int(i) >= len(work.Codes) {
			return io.EOF
		}
		form := url.Values{"grant_type": {"authorization_code"}, "client_id": {work.Client}, "redirect_uri": {callback}, "code": {work.Codes[i]}, "code_verifier": {verifier}}
		t, err := redeem(conn, form)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, t)
		return err
	})
	if err == nil && len(got) < 2*c.Callers {
		err = fmt.Errorf("only %d codes were redeemed", len(got))
	}
	if err != nil {
		return o, err
	}
	own, rest := got[:c.Callers], got[c.Callers:]
	o.rows[1], err = c.row(func(conn *harness.Conn, i int) (err error) {
		own[i], err = redeem(conn, url.Values{"grant_type": {"refresh_token"}, "client_id": {work.Client}, "refresh_token": {own[i].Refresh}})
		return err
	})
	if err != nil {
		return o, err
	}
	if o.rows[2], err = c.row(c.eachOnce(rest)); err != nil {
		return o, err
	}
	o.rows[3], err = c.row(func(conn *harness.Conn, i int) error {
		_, err := conn.Do(post("/again", nil, own[i].Access))
		return err
	})
	_, o.memory = harness.Memory(c.PID())
	return o, err
}

// row gives every caller a connection and measures one kind of request.
func (c course) row(ask func(conn *harness.Conn, caller int) error) (harness.Outcome, error) {
	conns := make([]*harness.Conn, c.Callers)
	for i := range conns {
		conn, err := harness.Dial(c.Addr)
		if err != nil {
			return harness.Outcome{}, err
		}
		defer conn.Close()
		conns[i] = conn
	}
	return c.Run(c.PID(), func(i int) error { return ask(conns[i], i) })
}

// redeem asks the token endpoint.
func redeem(conn *harness.Conn, form url.Values) (t tokens, err error) {
	body, err := conn.Do(post("/token", form, ""))
	if err == nil {
		err = json.Unmarshal(body, &t)
	}
	return t, err
}

// post returns a request as it goes over the wire.
func post(path string, form url.Values, token string) []byte {
	body := form.Encode()
	header := "POST " + path + " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/x-www-form-urlencoded\r\n"
	if token != "" {
		header += "Authorization: Bearer " + token + "\r\n"
	}
	return fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

// prepare gets codes for as long as the load lasts.
func (c course) prepare() (work prepared, err error) {
	n := max(10*c.Callers, int(c.Period.Seconds()*codesPerSecond))
	resp, err := http.Get(fmt.Sprintf("http://%s/codes?n=%d", c.Addr, n))
	if err != nil {
		return work, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("preparing: %s", body)
	}
	if err == nil {
		err = json.Unmarshal(body, &work)
	}
	return work, err
}

// eachOnce presents every token once. When all have been presented, it makes the
// server forget them and starts again.
func (c course) eachOnce(all []tokens) func(*harness.Conn, int) error {
	var mu sync.Mutex
	next := 0
	take := func(conn *harness.Conn) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(all) {
			if _, err := conn.Do(post("/forget", nil, "")); err != nil {
				return "", err
			}
			next = 0
		}
		next++
		return all[next-1].Access, nil
	}
	return func(conn *harness.Conn, _ int) error {
		token, err := take(conn)
		if err == nil {
			_, err = conn.Do(post("/first", nil, token))
		}
		return err
	}
}
