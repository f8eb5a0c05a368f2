package a2agrpc_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/a2a/internal/wire"
)

// rawCall sends the header of a call, and then body, as a client of HTTP/2 without gRPC. It returns
// the code and message of the status.
func rawCall(t *testing.T, address string, body io.Reader, header http.Header) (code, message string) {
	t.Helper()
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Transport{Protocols: protocols}
	t.Cleanup(client.CloseIdleConnections)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/lf.a2a.v1.A2AService/GetTask", body)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(req.Header, header)
	req.Header.Set("Content-Type", "application/grpc")
	req.Header.Set("TE", "trailers")
	resp, err := client.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	if code = resp.Trailer.Get("Grpc-Status"); code == "" {
		return resp.Header.Get("Grpc-Status"), resp.Header.Get("Grpc-Message")
	}
	return code, resp.Trailer.Get("Grpc-Message")
}

// announced is the beginning of a message of n bytes that never comes.
func announced(t *testing.T, n uint32) io.Reader {
	rest, end := io.Pipe()
	t.Cleanup(func() { end.Close() })
	return io.MultiReader(strings.NewReader("\x00"+string(binary.BigEndian.AppendUint32(nil, n))), rest)
}

// TestTheHandlerDecidesBeforeTheMessageIsReceived has clients that announce a message and never send it.
func TestTheHandlerDecidesBeforeTheMessageIsReceived(t *testing.T) {
	_, address := carrier(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	if code, _ := rawCall(t, address, announced(t, 1<<20), nil); code != "16" {
		t.Errorf("got the status %s, want UNAUTHENTICATED", code)
	}
}

func TestAMessageThatDoesNotArriveEndsTheCall(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	serveOn(t, l, &a2agrpc.Server{Patience: 10 * time.Millisecond, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := a2agrpc.ReadTenant(r)
		failed <- err
	})})
	if code, message := rawCall(t, l.Addr().String(), announced(t, 1<<20), nil); code != "4" {
		t.Errorf("got the status %s %s, want DEADLINE_EXCEEDED", code, message)
	}
	if err := <-failed; err == nil {
		t.Error("the handler read a message that never came")
	}
}

func TestAMessageThatIsTooLargeIsRefused(t *testing.T) {
	_, address := carrier(t, func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			t.Error("the handler read the message")
		}
	})
	if code, message := rawCall(t, address, announced(t, 4<<20+1), nil); code != "8" {
		t.Errorf("got the status %s %s, want RESOURCE_EXHAUSTED", code, message)
	}
}

func TestAnAnswerThatIsTooLargeIsRefused(t *testing.T) {
	_, address := carrier(t, func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write(make([]byte, 16<<20+1)); err == nil {
			t.Error("the handler was not told that its answer is too large")
		}
	})
	if code, message := rawCall(t, address, strings.NewReader("\x00\x00\x00\x00\x00"), nil); code != "8" || !strings.Contains(message, "more than 16777216 bytes") {
		t.Errorf("got the status %s %q, want RESOURCE_EXHAUSTED with the limit", code, message)
	}
}

func TestAnUnknownVersionIsRefused(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	_, address := carrier(t, (&a2aserver.Server{Agent: agent}).ServeGRPC)
	for version, want := range map[string]string{"": "3", "1.0": "3", "0.3": "9", "9.9": "9"} {
		header := http.Header{}
		if version != "" {
			header.Set("A2A-Version", version)
		}
		code, message := rawCall(t, address, strings.NewReader("\x00\x00\x00\x00\x00"), header)
		if code != want || want == "9" && !strings.Contains(message, version) {
			t.Errorf("version %q: got the status %s %q, want %s", version, code, message, want)
		}
	}
}

// shut calls a method on a connection that is read and whose streams have no window.
func shut(t *testing.T, address, method string) (*http2.Framer, net.Conn) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	frames := http2.NewFramer(conn, conn)
	var head bytes.Buffer
	fields := hpack.NewEncoder(&head)
	for _, f := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/lf.a2a.v1.A2AService/" + method}, {"content-type", "application/grpc"}, {"te", "trailers"}} {
		err = errors.Join(err, fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}))
	}
	_, noPreface := io.WriteString(conn, http2.ClientPreface)
	if err := errors.Join(err, noPreface,
		frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}),
		frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndHeaders: true}),
		frames.WriteData(1, true, make([]byte, 5)),
	); err != nil {
		t.Fatal(err)
	}
	return frames, conn
}

// TestAMessageThatIsNotReadEndsTheConnection has a client that reads its connection and never opens
// the window of its call. Package grpc kept the message after the handler had returned.
func TestAMessageThatIsNotReadEndsTheConnection(t *testing.T) {
	message := make([]byte, 10<<10)
	for method, answer := range map[string][]byte{"GetTask": message, "SubscribeToTask": wire.AppendFrame(nil, message, false)} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		serveOn(t, l, &a2agrpc.Server{Patience: 10 * time.Millisecond, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if _, err := w.Write(answer); err != nil {
				t.Errorf("%s: %v", method, err)
			}
		})})
		_, conn := shut(t, l.Addr().String(), method)
		if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection was not closed", method)
		}
	}
}

// TestALargeMessageIsWrittenWhenItIsTaken has a handler whose message waits for the client.
func TestALargeMessageIsWrittenWhenItIsTaken(t *testing.T) {
	written := make(chan error, 1)
	_, address := carrier(t, func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(make([]byte, 1<<20))
		written <- err
	})
	frames, conn := shut(t, address, "GetTask")
	for begun := false; !begun; { // the header of the answer
		f, err := frames.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		_, begun = f.(*http2.HeadersFrame)
	}
	select {
	case err := <-written:
		t.Fatalf("the message was written, %v, before the client took it", err)
	default:
	}
	if err := errors.Join(frames.WriteWindowUpdate(0, 2<<20), frames.WriteWindowUpdate(1, 2<<20)); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, conn)
	if err := <-written; err != nil {
		t.Error(err)
	}
}
