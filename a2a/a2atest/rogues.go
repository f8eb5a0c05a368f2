package a2atest

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
)

// streaming is a card of 1.0 that promises streams.
const streaming = `{"name":"Rogue","description":"","version":"1","capabilities":{"streaming":true},"defaultInputModes":[],"defaultOutputModes":[],"skills":[],"supportedInterfaces":[{"url":"$URL/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`

// first is a card of 0.1.
const first = `{"name":"Rogue","description":"","version":"1","url":"$URL/","authentication":{"schemes":["bearer"]},"capabilities":{"streaming":true},"skills":[]}`

// Rogues returns peers that do wrong when they are sent a message, by what they
// do. Those whose name begins with "endless" go on until their caller leaves.
func Rogues() map[string]*Rogue {
	return map[string]*Rogue{
		"silent":                   says(Answer{Hold: true}),
		"slow":                     says(events(working).then(Answer{Hold: true})),
		"endless answer":           says(Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"result":"`, Repeat: filler}),
		"endless event":            says(events().then(Answer{Body: "data: ", Repeat: filler})),
		"endless event, later":     says(events(working).then(Answer{Body: "data: ", Repeat: filler})),
		"endless task":             says(events(working).then(Answer{Cut: true}), Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"result":"`, Repeat: filler}),
		"endless comments":         says(events(working).then(Answer{Repeat: ": " + filler + "\n"})),
		"endless rubbish":          says(events().then(Answer{Repeat: "data: rubbish\n\n"})),
		"endless artifact":         says(events(working).then(Answer{Repeat: event(`{"artifactUpdate":{"taskId":"t1","append":true,"artifact":{"artifactId":"a","parts":[{"text":"` + filler + `"}]}}}`)})),
		"endless artifacts":        says(events(working).then(Answer{Repeat: event(`{"task":{"id":"t1","status":{"state":"TASK_STATE_WORKING"},"artifacts":[` + strings.Repeat(`{"artifactId":"a","parts":[{"text":"x"}]},`, 1000) + `{"artifactId":"b","parts":[]}]}}`)})),
		"endless error":            says(Answer{Status: 500, Header: kind("text/plain"), Repeat: filler}),
		"gzip bomb":                says(Answer{Header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, Body: Bomb(`{"jsonrpc":"2.0","id":1,"result":"`)}),
		"gzip bomb in a stream":    says(Answer{Header: http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, Body: Bomb("data: ")}),
		"malformed":                says(Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"result":{"task":`}),
		"deep":                     says(Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"result":` + strings.Repeat("[", 1<<20)}),
		"of another shape":         says(Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"result":{"task":{"id":7,"status":"done"}}}`}),
		"HTML":                     says(Answer{Header: kind("text/html"), Body: "<html>hello</html>"}),
		"JSON called HTML":         says(Answer{Header: kind("text/html"), Body: `{"jsonrpc":"2.0","id":$ID,"result":` + completed + `}`}),
		"a stream called text":     says(Answer{Header: kind("text/plain"), Body: event(completed)}),
		"a stream called JSON":     says(Answer{Header: kind("application/json"), Body: event(completed)}),
		"lies about the call's id": says(Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":"another","result":` + completed + `}`}),
		"lies about the task's id": says(events(working, `{"task":{"id":"t2","status":{"state":"TASK_STATE_COMPLETED"}}}`).then(Answer{Cut: true}),
			Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"result":{"id":"t2","status":{"state":"TASK_STATE_COMPLETED"}}}`}),
		"lies about its version": {Card: streaming, Answers: map[string][]Answer{"message/stream": {{Header: kind("text/event-stream"),
			Body: event(`{"kind":"status-update","taskId":"t1","contextId":"c1","final":true,"status":{"state":"completed"}}`)}}}},
		"breaks off before a word": says(Answer{Cut: true}),
		"breaks off in a word":     says(events().then(Answer{Body: `data: {"jsonrpc":"2.0",`, Cut: true})),
		"breaks off in the middle": says(events(working).then(Answer{Cut: true}),
			Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"result":{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}}`}),
		"redirects to another host": says(Answer{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"http://rialto.invalid/"}}}),
		"redirects to itself":       says(Answer{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"/rpc"}}}),
		"a header without end":      says(Answer{Header: http.Header{"X-Filler": {strings.Repeat("x", 1<<20)}}}),
		"repeats its chunks": {Card: first, Answers: map[string][]Answer{
			"tasks/sendSubscribe": {{Header: kind("text/event-stream"), Body: event(`{"id":"t1","status":{"state":"working"},"final":false}`) +
				event(`{"id":"t1","artifact":{"index":0,"parts":[{"type":"text","text":"one"}]}}`) +
				event(`{"id":"t1","artifact":{"index":0,"append":true,"parts":[{"type":"text","text":"one, two"}]}}`) +
				event(`{"id":"t1","status":{"state":"completed"},"final":true}`)}},
		}},
		"ends without an end":   says(events(working), Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"there is no such task"}}`}),
		"goes on after the end": says(events(completed, working).then(Answer{Hold: true})),
		"sends artifacts after the end": says(events(working, completedStatus, late("a", "one"), late("b", "two")),
			Answer{Header: kind("application/json"), Body: `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"there is no such task"}}`}),
		"has artifacts after the end": says(events(working, completedStatus), Answer{Header: kind("application/json"),
			Body: `{"jsonrpc":"2.0","id":$ID,"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"one"}]}]}}`}),
		"says plain text":  says(events(`{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED","message":"it is done"}}}`)),
		"several messages": says(events(message("one"), message("two"), message("three"))),
		"endless messages": says(events().then(Answer{Repeat: event(message(filler))})),
		"an empty answer":  says(Answer{}),
	}
}

// The words of rogues.
const (
	working   = `{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`
	completed = `{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`
)

const completedStatus = `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`

// late is an artifact of the task.
func late(id, text string) string {
	return `{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"` + id + `","parts":[{"text":"` + text + `"}]}}}`
}

// message is an answer that is a message alone.
func message(text string) string {
	return `{"message":{"messageId":"m-` + text[:1] + `","role":"ROLE_AGENT","parts":[{"text":"` + text + `"}]}}`
}

// filler is what endless answers are made of.
var filler = strings.Repeat("x", 64<<10)

// says is a rogue of 1.0 that answers each message with m and tells of a task in
// the words of task, if given.
func says(m Answer, task ...Answer) *Rogue {
	answers := map[string][]Answer{"SendStreamingMessage": {m}, "SendMessage": {m}}
	if task != nil {
		answers["GetTask"] = task
	}
	return &Rogue{Card: streaming, Answers: answers}
}

func kind(mediaType string) http.Header { return http.Header{"Content-Type": {mediaType}} }

func event(result string) string {
	return `data: {"jsonrpc":"2.0","id":1,"result":` + result + "}\n\n"
}

// events is a stream that tells results.
func events(results ...string) Answer {
	a := Answer{Header: kind("text/event-stream")}
	for _, r := range results {
		a.Body += event(r)
	}
	return a
}

// then is a with what more says after it.
func (a Answer) then(more Answer) Answer {
	a.Body += more.Body
	a.Repeat, a.Cut, a.Hold = more.Repeat, more.Cut, more.Hold
	return a
}

// Bomb returns a small body that becomes 256 MiB of spaces after head when it is
// unpacked: a member of gzip may follow another.
func Bomb(head string) string {
	return packed(head) + strings.Repeat(packed(strings.Repeat(" ", 1<<20)), 1<<8)
}

func packed(text string) string {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return out.String()
}
