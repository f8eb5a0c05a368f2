package a2aclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/internal/transcript"
)

const cardV10 = `{"name":"x","description":"","version":"1","capabilities":{"streaming":true},"defaultInputModes":[],"defaultOutputModes":[],"skills":[],"supportedInterfaces":[{"url":"$URL/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`

// TestTranscripts plays each file of testdata. Its sections are:
//
//	do        what the client is asked to do, a line each
//	card      the agent's card; without it, one of 1.0 that streams
//	METHOD    an answer to METHOD: "STATUS TYPE [cut|hold]", header lines, an
//	          empty line, the body. Answers to one method are given in order.
//	want      what came of it, and the calls that were made
func TestTranscripts(t *testing.T) { transcript.Run(t, "testdata/*.txtar", playTranscript) }

func playTranscript(t *testing.T, archive *txtar.Archive) (got []txtar.File) {
	rogue, do := a2atest.Script(t, archive, cardV10)
	for _, f := range archive.Files {
		if f.Name != "want" {
			got = append(got, f)
		}
	}
	return append(got, txtar.File{Name: "want", Data: []byte(perform(t, rogue, do))})
}

// perform does what a transcript says and tells what came of it.
func perform(t *testing.T, rogue *a2atest.Rogue, do string) string {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	url := rogue.Serve(t)
	var out strings.Builder
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(ctx, url)
	if err != nil {
		out.WriteString(told(nil, err))
		do = ""
	}
	for line := range strings.Lines(do) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		fmt.Fprintf(&out, "# %s\n", strings.TrimSpace(line))
		one(ctx, c, verb, rest, func(e a2a.Event, err error) { out.WriteString(told(e, err)) })
	}
	out.WriteString("calls:")
	for _, call := range rogue.Calls() {
		out.WriteString(" " + call.Method)
	}
	return strings.ReplaceAll(out.String(), strings.TrimPrefix(url, "http://"), "HOST") + "\n"
}

// one does one thing: "send TEXT", "send-now TEXT", "stream TEXT", "answer TASK
// TEXT", "answer-now TASK TEXT", "task ID", "cancel ID" or "subscribe ID".
func one(ctx context.Context, c *a2aclient.Client, verb, rest string, tell func(a2a.Event, error)) {
	req := a2atest.Say(rest)
	switch verb {
	case "send", "send-now":
		req.ReturnImmediately = verb == "send-now"
		tell(c.Send(ctx, req))
	case "answer-now":
		req = answerTo(rest)
		req.ReturnImmediately = true
		tell(c.Send(ctx, req))
	case "answer":
		req = answerTo(rest)
		fallthrough
	case "stream":
		for e, err := range c.Stream(ctx, req) {
			tell(e, err)
		}
	case "task":
		t, err := c.Task(ctx, a2a.TaskQuery{ID: a2a.TaskID(rest)})
		tell(t, err)
	case "cancel":
		t, err := c.Cancel(ctx, a2a.TaskID(rest))
		tell(t, err)
	case "subscribe":
		for e, err := range c.Subscribe(ctx, a2a.TaskID(rest)) {
			tell(e, err)
		}
	}
}

// answerTo reads "TASK TEXT".
func answerTo(rest string) *a2a.SendRequest {
	id, text, _ := strings.Cut(rest, " ")
	req := a2atest.Say(text)
	req.Message.TaskID = a2a.TaskID(id)
	return req
}

// told writes an event or error as a line.
func told(e a2a.Event, err error) string {
	var ae *a2a.Error
	switch {
	case errors.As(err, &ae) && ae.Remote:
		s := fmt.Sprintf("the agent says %s (%d, HTTP %d): %s", ae.Code, ae.Number, ae.HTTPStatus, ae.Message)
		if ae.Challenge != "" {
			s += " challenge=" + ae.Challenge
		}
		if ae.Data != nil {
			s += " data=" + string(ae.Data)
		}
		return s + "\n"
	case errors.As(err, &ae):
		return fmt.Sprintf("we say %s: %s\n", ae.Code, ae.Message)
	case err != nil:
		return fmt.Sprintf("error: %v\n", err)
	}
	switch e := e.(type) {
	case *a2a.Message:
		return fmt.Sprintf("message %s %q\n", e.Role, e.Text())
	case *a2a.Task:
		s := fmt.Sprintf("task %s %s", e.ID, status(e.Status))
		for _, a := range e.Artifacts {
			s += fmt.Sprintf(" [%s %q]", a.ID, a.Text())
		}
		return s + "\n"
	case *a2a.StatusUpdate:
		return fmt.Sprintf("status of %s %s\n", e.TaskID, status(e.Status))
	case *a2a.ArtifactUpdate:
		return fmt.Sprintf("artifact of %s [%s %q] append=%v last=%v\n", e.TaskID, e.Artifact.ID, e.Artifact.Text(), e.Append, e.LastChunk)
	}
	return fmt.Sprintf("%#v\n", e)
}

func status(s a2a.Status) string {
	out := string(s.State)
	if s.Message != nil {
		out += fmt.Sprintf(" %q", s.Message.Text())
	}
	if !s.Timestamp.IsZero() {
		out += " at " + s.Timestamp.Format(time.RFC3339Nano)
	}
	return out
}
