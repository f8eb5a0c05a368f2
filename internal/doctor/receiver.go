package doctor

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// receiverAddress is where the doctor listens for the webhooks of servers that reach it by another
// address.
const receiverAddress = "127.0.0.1:43118"

// receiver is a webhook that believes nothing: it checks each signature, and refuses the first
// delivery of each event.
type receiver struct {
	url, secret string
	key         []byte
	listener    net.Listener
	came, again chan struct{} // an event, and one that was refused before

	mu  sync.Mutex
	all []delivery
}

// delivery is a request to the receiver.
type delivery struct {
	id, kind, event, wrong string
	again                  bool
}

// The first event is one that the server has kept: it needs no retry.
const firstEvent = 10 * time.Second

// maxDeliveries bounds what is kept.
const maxDeliveries = 100

// receive starts a receiver on loopback; address is where the server reaches it, if not there.
func receive(address string) (*receiver, error) {
	at := "127.0.0.1:0"
	if address != "" {
		at = receiverAddress
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, err
	}

	r := &receiver{
		url:      address,
		key:      make([]byte, 32),
		listener: l,
		came:     make(chan struct{}, 1),
		again:    make(chan struct{}, 1),
	}
	if address == "" {
		r.url = "http://" + l.Addr().String() + "/rialto-doctor"
	}

	rand.Read(r.key) // never fails
	r.secret = "whsec_" + base64.StdEncoding.EncodeToString(r.key)
	go (&http.Server{Handler: r, ReadTimeout: 10 * time.Second}).Serve(l) // ends with close
	return r, nil
}

func (r *receiver) close() { r.listener.Close() }

func (r *receiver) deliveries() []delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]delivery(nil), r.all...)
}

// await returns once an event came again, or the time is over.
func (r *receiver) await(ctx context.Context, limit time.Duration) {
	if signaled(ctx, r.came, min(limit, firstEvent)) {
		signaled(ctx, r.again, limit)
	}
}

func signaled(ctx context.Context, c <-chan struct{}, limit time.Duration) bool {
	select {
	case <-c:
		return true
	case <-ctx.Done():
	case <-time.After(limit):
	}
	return false
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody))
	if err != nil || req.Method != http.MethodPost {
		http.Error(w, "webhooks are posted", http.StatusMethodNotAllowed)
		return
	}

	envelope := object(body)
	d := delivery{
		id:    req.Header.Get("webhook-id"),
		kind:  envelope.text("type"),
		event: envelope.text("eventId"),
		wrong: r.examine(req.Header, body),
	}
	switch again := r.record(d); {
	case d.kind == "verification":
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]string{"challenge": envelope.text("challenge")})
	case d.kind == "" && again:
		signal(r.again)
	case d.kind == "":
		signal(r.came)
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// record keeps a delivery, and tells whether it came before.
func (r *receiver) record(d delivery) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, before := range r.all {
		d.again = d.again || before.id == d.id
	}
	if len(r.all) < maxDeliveries {
		r.all = append(r.all, d)
	}
	return d.again
}

// examine returns what is wrong with the signature of a delivery, or "".
func (r *receiver) examine(h http.Header, body []byte) string {
	id := h.Get("webhook-id")
	stamp := h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	switch {
	case id == "":
		return "there is no webhook-id"
	case err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute:
		return "the webhook-timestamp is not the time"
	}

	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, got := range strings.Fields(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return ""
		}
	}

	return "the webhook-signature does not fit"
}
