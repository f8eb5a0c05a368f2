package a2agrpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/internal/wire"
)

// carrier serves h over gRPC, and returns what calls it and where.
func carrier(t *testing.T, h http.HandlerFunc) (*a2agrpc.Transport, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveOn(t, l, &a2agrpc.Server{Handler: h})
	over := &a2agrpc.Transport{}
	t.Cleanup(func() { over.Close() })
	return over, l.Addr().String()
}

// serveOn serves l until the test ends.
func serveOn(t *testing.T, l net.Listener, s *a2agrpc.Server) {
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stopped := make(chan error, 1)
	go func() { stopped <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// call has h answer a call over gRPC to that method, and returns the response.
func call(t *testing.T, h http.HandlerFunc, method string) *http.Response {
	t.Helper()
	over, address := carrier(t, h)
	resp, err := over.Carry(t.Context(), &url.URL{Scheme: "http", Host: address}, "/lf.a2a.v1.A2AService/"+method, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestAHandlerMayCutTheCall(t *testing.T) {
	for _, method := range []string{"GetTask", "SubscribeToTask"} {
		resp := call(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, method)
		if resp.StatusCode != http.StatusInternalServerError {
			t.Errorf("%s: got %d, want that the call failed", method, resp.StatusCode)
		}
	}
}

const refused = `{"error":{"code":404,"status":"NOT_FOUND","message":"no such task","details":[]}}`

// TestFramesCrossAsTheyAre writes what is not aligned to frames, and ends with a
// refusal.
func TestFramesCrossAsTheyAre(t *testing.T) {
	all := wire.AppendFrame(wire.AppendFrame(wire.AppendFrame(nil, []byte("one"), false), nil, false), []byte(refused), true)
	resp := call(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, piece := range [][]byte{all[:2], all[2:6], all[6:15], all[15:]} {
			if _, err := w.Write(piece); err != nil && len(piece) < 20 {
				t.Error(err)
			}
		}
		if _, err := w.Write([]byte("more")); err == nil {
			t.Error("the handler was not told that the stream has ended")
		}
	}, "SubscribeToTask")
	if got := resp.Header.Get("Content-Type"); got != wire.GRPCType {
		t.Fatalf("got %q, want a stream", got)
	}
	messages := resp.Body.(a2aclient.Messages)
	for _, want := range []string{"one", ""} {
		if message, refused, err := messages.Next(); err != nil || refused || string(message) != want {
			t.Fatalf("got %q, %v, %v, want %q", message, refused, err, want)
		}
	}
	message, isRefusal, err := messages.Next()
	if err != nil || !isRefusal || !strings.Contains(string(message), `"message":"no such task"`) || !strings.Contains(string(message), `"code":404`) {
		t.Errorf("got %q, %v, %v, want the refusal", message, isRefusal, err)
	}
	if _, _, err := messages.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
}

func TestARefusalBeforeTheStreamIsAResponse(t *testing.T) {
	resp := call(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"invalid_token","error_description":"it has expired"}`)
	}, "SubscribeToTask")
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(string(body), "it has expired") {
		t.Errorf("got %d %q %s, %v", resp.StatusCode, resp.Header, body, err)
	}
}

func TestAStreamMayBringNothing(t *testing.T) {
	resp := call(t, func(http.ResponseWriter, *http.Request) {}, "SubscribeToTask")
	if _, _, err := resp.Body.(a2aclient.Messages).Next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
}
