package a2abench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	theirclient "github.com/a2aproject/a2a-go/v2/a2aclient"
	theirgrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
	"rialto/cmd/rialto/internal/bench/harness"
)

// carded serves a card that names the gRPC server at address, which is where a
// client that goes by cards begins.
func carded(address string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"name":"bench","description":"","version":"1","capabilities":{"streaming":true},"defaultInputModes":[],`+
			`"defaultOutputModes":[],"skills":[],"supportedInterfaces":[{"url":%q,"protocolBinding":"GRPC","protocolVersion":"1.0"}]}`, address)
	}))
}

// addressOf returns what the card at url calls the place of the gRPC server.
func addressOf(ctx context.Context, h *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := h.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var card struct{ SupportedInterfaces []struct{ URL string } }
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil || len(card.SupportedInterfaces) == 0 {
		return "", fmt.Errorf("a card without an interface: %w", err)
	}
	return card.SupportedInterfaces[0].URL, nil
}

// listen serves s at a port of this machine and returns where.
func listen(serve func(net.Listener) error) (address string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go serve(l) // until it is stopped
	return l.Addr().String(), nil
}

// measureGRPCClient is measureClient over gRPC.
func measureGRPCClient(name string, r *row, l harness.Load) (harness.Outcome, error) {
	s := grpc.NewServer()
	a2apb.RegisterA2AServiceServer(s, newFixedGRPC())
	defer s.Stop()
	address, err := listen(s.Serve)
	if err != nil {
		return harness.Outcome{}, err
	}
	web := carded(address)
	defer web.Close()
	return measure(l, name, r, web.URL)
}

// measureGRPCServer is measureServer over gRPC.
func measureGRPCServer(name string, r *row, l harness.Load) (harness.Outcome, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var serve func(net.Listener) error
	if name == "rialto" {
		handler, end := ourServer(a2a.GRPC)
		defer end()
		calls := &a2agrpc.Server{Handler: http.HandlerFunc(handler.(*a2aserver.Server).ServeGRPC)}
		serve = func(l net.Listener) error { return calls.Serve(ctx, l) }
	} else {
		s := grpc.NewServer()
		defer s.Stop()
		theirgrpc.NewHandler(theirHandler()).RegisterWith(s)
		serve = s.Serve
	}
	address, err := listen(serve)
	if err != nil {
		return harness.Outcome{}, err
	}
	web := carded(address)
	defer web.Close()
	return measure(l, "by hand", r, web.URL)
}

func openRialtoGRPC(ctx context.Context, h *http.Client, url string) (client, error) {
	over := &a2agrpc.Transport{}
	context.AfterFunc(ctx, func() { over.Close() })
	c, err := (&a2aclient.Dialer{HTTP: h, GRPC: over}).Dial(ctx, url)
	return rialto{c}, err
}

func connect(ctx context.Context, h *http.Client, url string) (*grpc.ClientConn, error) {
	address, err := addressOf(ctx, h, url)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err == nil {
		context.AfterFunc(ctx, func() { conn.Close() })
	}
	return conn, err
}

func openTheirsGRPC(ctx context.Context, h *http.Client, url string) (client, error) {
	address, err := addressOf(ctx, h, url)
	if err != nil {
		return nil, err
	}
	c, err := theirclient.NewFromEndpoints(ctx, []*theirs.AgentInterface{theirs.NewAgentInterface(address, theirs.TransportProtocolGRPC)},
		theirgrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())))
	if err == nil {
		context.AfterFunc(ctx, func() { c.Destroy() })
	}
	return their{c}, err
}

// stub is the client that one writes who has the stubs. It says what it speaks,
// as every client must (A2A 1.0 section 3.6.1).
type stub struct{ a2apb.A2AServiceClient }

func versioned(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "a2a-version", "1.0")
}

func openStub(ctx context.Context, h *http.Client, url string) (client, error) {
	conn, err := connect(ctx, h, url)
	return stub{a2apb.NewA2AServiceClient(conn)}, err
}

func stubHello() *a2apb.SendMessageRequest {
	return &a2apb.SendMessageRequest{Message: &a2apb.Message{MessageId: uuid.NewString(), Role: a2apb.Role_ROLE_USER,
		Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hello"}}}}}
}

func checkStub(t *a2apb.Task) error {
	if a := t.GetArtifacts(); len(a) != 1 || a[0].Parts[0].GetText() != "hello" {
		return wrong(t)
	}
	return nil
}

func (c stub) send(ctx context.Context) (string, error) {
	r, err := c.SendMessage(versioned(ctx), stubHello())
	if err == nil {
		err = checkStub(r.GetTask())
	}
	return r.GetTask().GetId(), err
}

func (c stub) get(ctx context.Context, id string) error {
	t, err := c.GetTask(versioned(ctx), &a2apb.GetTaskRequest{Id: id})
	if err != nil {
		return err
	}
	return checkStub(t)
}

func (c stub) stream(ctx context.Context) error {
	s, err := c.SendStreamingMessage(versioned(ctx), stubHello())
	if err != nil {
		return err
	}
	said, ended := "", false
	for {
		e, err := s.Recv()
		switch {
		case errors.Is(err, io.EOF) && said == "hello" && ended:
			return nil
		case errors.Is(err, io.EOF):
			return wrong(said)
		case err != nil:
			return err
		case e.GetArtifactUpdate() != nil:
			said = e.GetArtifactUpdate().Artifact.Parts[0].GetText()
		case e.GetStatusUpdate() != nil:
			ended = e.GetStatusUpdate().Status.State == a2apb.TaskState_TASK_STATE_COMPLETED
		}
	}
}

// fixedGRPC says what fixed says.
type fixedGRPC struct {
	a2apb.UnimplementedA2AServiceServer
	task   *a2apb.Task
	events []*a2apb.StreamResponse
}

func newFixedGRPC() *fixedGRPC {
	f := &fixedGRPC{task: parsed(fixedTask, &a2apb.Task{})}
	for _, e := range fixedEvents {
		f.events = append(f.events, parsed(e, &a2apb.StreamResponse{}))
	}
	return f
}

// parsed panics for what cannot happen: a constant that is no message.
func parsed[M proto.Message](text string, m M) M {
	if err := protojson.Unmarshal([]byte(text), m); err != nil {
		panic(err)
	}
	return m
}

func (f *fixedGRPC) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return &a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Task{Task: f.task}}, nil
}

func (f *fixedGRPC) GetTask(context.Context, *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return f.task, nil
}

func (f *fixedGRPC) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	for _, e := range f.events {
		if err := s.Send(e); err != nil {
			return err
		}
	}
	return nil
}
