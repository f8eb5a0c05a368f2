package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	rialto = "rialto"
	byHand = "by hand"
	plain  = "go-sdk, a2a-go"
	tuned  = "go-sdk, a2a-go, tuned"
)

// server is one that is measured: how it is started.
type server struct {
	name  string
	start func(e era, calls int) (*running, error) // that run at one time
}

// servers prepares those that are measured, in a folder that goes away.
func servers(dir, agentURL, only string) (all []server, err error) {
	binary, err := build(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range []server{
		{rialto, func(_ era, calls int) (*running, error) { return startRialto(binary, dir, agentURL, calls) }},
		{byHand, func(e era, _ int) (*running, error) { return startOurselves(byHand, agentURL, e) }},
		{plain, func(e era, _ int) (*running, error) { return startOurselves(plain, agentURL, e) }},
		{tuned, func(e era, _ int) (*running, error) { return startOurselves(tuned, agentURL, e) }},
	} {
		if only == "" || only == s.name {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no server %q", only)
	}
	return all, nil
}

// running is a server that runs.
type running struct {
	addr   string
	tokens []string // of several users
	cmd    *exec.Cmd
	probe  http.Client
	said   bytes.Buffer // of its standard error
}

// launch runs a command that serves on addr, with a probe, until it answers.
func launch(addr string, tokens []string, cmd *exec.Cmd) (*running, error) {
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "s")
	r := &running{addr: addr, tokens: tokens, cmd: cmd}
	r.probe.Transport = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", socket) }}
	cmd.Env = append(os.Environ(), probeVariable+"="+socket)
	cmd.Stderr = &r.said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for range 200 {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			return r, c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.stop()
	return nil, fmt.Errorf("it does not answer at %s: %s", addr, &r.said)
}

// stop ends the server, and forgets its socket.
func (r *running) stop() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
	for _, v := range r.cmd.Env {
		if path, ok := strings.CutPrefix(v, probeVariable+"="); ok {
			os.RemoveAll(filepath.Dir(path))
		}
	}
}

// used returns what the server has used; after a collection of garbage, if that
// is asked for.
func (r *running) used(collect bool) (p probed, err error) {
	url := "http://probe/probe"
	if collect {
		url += "?collect"
	}
	res, err := r.probe.Get(url)
	if err != nil {
		return p, err
	}
	defer res.Body.Close()
	return p, json.NewDecoder(res.Body).Decode(&p)
}

// startOurselves runs the bench as one of the servers.
func startOurselves(name, agentURL string, e era) (*running, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return launch(addr, []string{constantToken}, exec.Command(self, "-serve", name, addr, agentURL, string(e)))
}

// beServer is what such a process does: args are its address, the agent's, and
// the era.
func beServer(name string, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("a server takes three arguments, and got %q", args)
	}
	handler, err := map[string]func(string, era) (http.Handler, error){byHand: handWritten, plain: sdks, tuned: tunedSDKs}[name](args[1], era(args[2]))
	if err != nil {
		return err
	}
	return http.ListenAndServe(args[0], guarded(handler))
}

// freeAddress returns one that nobody listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// firstLine returns that of what a command prints.
func firstLine(b []byte) string {
	s := bufio.NewScanner(bytes.NewReader(b))
	s.Scan()
	return s.Text()
}
