package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is how a server is asked.
type load struct {
	clients int
	period  time.Duration
}

// mostCodes bounds the codes that are made for a second of load.
const mostCodes = 5000

// measure starts a server and measures its rows.
func (e engine) measure(name string, l load) (o outcome, err error) {
	dsn, drop, err := e.open()
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, drop()) }()
	self, err := os.Executable()
	if err != nil {
		return o, err
	}
	cmd := exec.Command(self, "-serve", name, "-database", dsn)
	cmd.Stderr = os.Stderr
	lives, err := cmd.StdinPipe() // the server ends when this does
	if err != nil {
		return o, err
	}
	said, err := cmd.StdoutPipe()
	if err != nil {
		return o, err
	}
	if err := cmd.Start(); err != nil {
		return o, err
	}
	address, err := bufio.NewReader(said).ReadString('\n')
	if err == nil {
		o, err = course{l, strings.TrimSpace(address), cmd.Process.Pid}.run()
	}
	lives.Close()
	return o, errors.Join(err, cmd.Wait())
}

// processorTime returns how long a process has computed so far. The system
// counts in hundredths of a second.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, errUser := strconv.Atoi(fields[11])
	system, errSystem := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(errUser, errSystem)
}

// watchMemory returns a function that stops the watch and returns the most
// memory that a process held meanwhile.
func watchMemory(pid int) (stop func() int64) {
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		var max int64
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				most <- max
				return
			case <-tick.C:
				if n := memory(pid); n > max {
					max = n
				}
			}
		}
	}()
	return func() int64 { close(done); return <-most }
}

// memory returns how much of a process is in memory, in bytes; 0 if it is gone.
func memory(pid int) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64)
	return n << 10
}

// tokens is an answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// course is a load on one server.
type course struct {
	load
	address string
	pid     int
}

// run measures one row after the other: what one gives, the next one needs.
func (c course) run() (o outcome, err error) {
	work, err := c.prepare()
	if err != nil {
		return o, err
	}
	watched := watchMemory(c.pid)
	defer func() { o.memory = watched() }()
	var mu sync.Mutex
	var got []tokens
	var next atomic.Int64
	o.rows[0], err = c.row(func(int) *ask {
		i := next.Add(1) - 1
		if int(i) >= len(work.Codes) {
			return nil
		}
		form := url.Values{"grant_type": {"authorization_code"}, "client_id": {work.Client}, "redirect_uri": {callback}, "code": {work.Codes[i]}, "code_verifier": {verifier}}
		return &ask{post("/token", form, ""), func(t tokens) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, t)
		}}
	})
	if err == nil && len(got) < 2*c.clients {
		err = fmt.Errorf("only %d codes were redeemed", len(got))
	}
	if err != nil {
		return o, err
	}
	own, rest := got[:c.clients], got[c.clients:]
	o.rows[1], err = c.row(func(i int) *ask {
		form := url.Values{"grant_type": {"refresh_token"}, "client_id": {work.Client}, "refresh_token": {own[i].Refresh}}
		return &ask{post("/token", form, ""), func(t tokens) { own[i] = t }}
	})
	if err != nil {
		return o, err
	}
	if o.rows[2], err = c.row(c.eachOnce(rest)); err != nil {
		return o, err
	}
	requests := make([][]byte, c.clients)
	for i := range requests {
		requests[i] = post("/again", nil, own[i].Access)
	}
	o.rows[3], err = c.row(func(i int) *ask { return &ask{request: requests[i]} })
	return o, err
}

// prepare gets codes for as long as the load lasts.
func (c course) prepare() (work prepared, err error) {
	n := max(10*c.clients, int(c.period.Seconds()*mostCodes))
	resp, err := http.Get(fmt.Sprintf("http://%s/codes?n=%d", c.address, n))
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

// eachOnce presents every token once, and then has the server forget them.
func (c course) eachOnce(all []tokens) func(int) *ask {
	var mu sync.Mutex
	next := len(all)
	return func(int) *ask {
		mu.Lock()
		defer mu.Unlock()
		if next == len(all) {
			next = 0
			if resp, err := http.Post("http://"+c.address+"/forget", "", nil); err == nil {
				resp.Body.Close()
			}
		}
		next++
		return &ask{request: post("/first", nil, all[next-1].Access)}
	}
}

// post renders a request.
func post(path string, form url.Values, token string) []byte {
	body := form.Encode()
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: bench\r\nContent-Length: %d\r\n", path, len(body))
	if form != nil {
		b.WriteString("Content-Type: application/x-www-form-urlencoded\r\n")
	}
	if token != "" {
		b.WriteString("Authorization: Bearer " + token + "\r\n")
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

// ask is one request, and what to do with the tokens that it gets.
type ask struct {
	request []byte
	take    func(tokens)
}

// row asks from every client until the time is over or there is nothing more
// to ask. Any answer but 200 is an error.
func (c course) row(next func(client int) *ask) (rate, error) {
	times, errs := make([][]time.Duration, c.clients), make([]error, c.clients)
	var all sync.WaitGroup
	computed, err := processorTime(c.pid)
	if err != nil {
		return rate{}, err
	}
	begun := time.Now()
	for i := range c.clients {
		all.Go(func() { times[i], errs[i] = c.keepAsking(begun, func() *ask { return next(i) }) })
	}
	all.Wait()
	took := time.Since(begun)
	for _, err := range errs {
		if err != nil {
			return rate{}, err
		}
	}
	after, err := processorTime(c.pid)
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	n := len(sorted)
	if n == 0 || err != nil {
		return rate{}, errors.Join(err, errors.New("nothing was measured"))
	}
	return rate{
		float64(n) / took.Seconds(), sorted[n*99/100].Round(10 * time.Microsecond), ((after - computed) / time.Duration(n)).Round(time.Microsecond),
	}, nil
}

// keepAsking asks over one connection and returns how long each answer took.
func (c course) keepAsking(begun time.Time, next func() *ask) (times []time.Duration, err error) {
	to, err := dial(c.address)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	for time.Since(begun) < c.period {
		a := next()
		if a == nil {
			break
		}
		one := time.Now()
		if err := to.do(a); err != nil {
			return nil, err
		}
		times = append(times, time.Since(one))
	}
	return times, nil
}

// conn is a client as small as can be: it shares the processors with the
// server that it measures.
type conn struct {
	net.Conn
	r    *bufio.Reader
	body []byte
}

func dial(address string) (*conn, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, r: bufio.NewReaderSize(c, 8<<10)}, nil
}

// do sends a request and reads its answer.
func (c *conn) do(a *ask) error {
	if _, err := c.Write(a.request); err != nil {
		return err
	}
	ok, length := false, -1
	for first := true; ; first = false {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if first {
			ok = bytes.HasPrefix(line, []byte("HTTP/1.1 200"))
		}
		if len(line) == 0 {
			break
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("an answer without a length")
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	if _, err := io.ReadFull(c.r, c.body); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("got %s", c.body)
	}
	if a.take == nil {
		return nil
	}
	var t tokens
	err := json.Unmarshal(c.body, &t)
	a.take(t)
	return err
}
