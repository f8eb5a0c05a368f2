package proxy

import (
	"errors"
	"testing"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

func TestUsersAreNotToldWhereAnAgentIs(t *testing.T) {
	for said, want := range map[string]string{
		"no answer from the agent at 10.1.2.3:8080: dial tcp 10.1.2.3:8080: connect: connection refused":               "no answer from the agent: it cannot be reached",
		"no answer from the agent at [::1]:80: read tcp [::1]:5->[::1]:80: read: connection reset by peer":             "no answer from the agent: the connection broke",
		"no answer from the agent at crm.internal: dial tcp: lookup crm.internal on 10.0.0.53:53: no such host":        "no answer from the agent: it cannot be reached",
		"no answer from the agent at h:1: lookup crm.internal: i/o timeout":                                            "no answer from the agent: it cannot be reached",
		"no answer from the agent at h:1: tls: failed to verify certificate: x509: certificate is valid for a, not b":  "no answer from the agent: its certificate is not accepted",
		"no answer from the agent at crm.internal: sse: event too large":                                               "no answer from the agent: sse: event too large",
		"the agent at crm.internal:1 failed 5 times in a row; next attempt in 3s":                                      "the agent failed 5 times in a row; next attempt in 3s",
		"the agent did not take the message, and the task stands where it stood: no answer from the agent at h:1: EOF": "the agent did not take the message, and the task stands where it stood: no answer from the agent: EOF",
	} {
		if got := ledger.WithoutAddresses(&a2a.Error{}, said); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	own := &a2a.Error{Code: a2a.Unavailable, Message: "no answer from the agent at h:1: EOF"}
	if f := ledger.FailureOf(own); f.Message != "no answer from the agent: EOF" {
		t.Errorf("a task that failed says %q", f.Message)
	}
	var told *a2a.Error
	if err := (&Agent{}).a2aError(own); !errors.As(err, &told) || told.Message != "no answer from the agent: EOF" || own.Message == told.Message {
		t.Errorf("an A2A caller gets %v", err)
	}
	if f := ledger.FailureOf(&a2a.Error{Remote: true, Message: "ask the agent at h:1: it knows"}); f.Message != "ask the agent at h:1: it knows" {
		t.Errorf("the agent's own words became %q", f.Message)
	}
}
