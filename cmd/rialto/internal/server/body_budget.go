package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"rialto/internal/quota"
	"rialto/oauth"
)

// The bytes of bodies: of requests that are received or held while they run, and of answers until
// their callers have read them.
const (
	maxBodiesUser = 16 << 20
	maxBodies     = 256 << 20 // of all users; beyond it only small bodies are taken
	smallBody     = 64 << 10
	bodyWait      = 2 * time.Second // for room for the body of a request
)

// bodyBudget bounds the bodies of requests and answers, by user and in all. A caller without a token
// counts by address.
type bodyBudget struct {
	size  int64 // the largest body, in bytes
	oauth addresser

	held quota.Bytes // by user
}

// addresser tells where a request comes from.
type addresser interface{ Address(*http.Request) string }

// Limit lets a request wait, by its header, while its body and the other bodies of its user take too
// much, and then refuses it. The guard must be outside.
func (b *bodyBudget) Limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bytes := r.ContentLength
		if bytes < 0 || bytes > b.size {
			bytes = b.size
		}
		user := b.user(r)
		ctx, cancel := context.WithTimeout(r.Context(), bodyWait)
		refused := b.held.Wait(ctx, user, bytes, maxBodiesUser, limitOfAll(bytes))
		cancel()
		if refused != nil {
			writeTooManyBytes(w)
			return
		}
		defer b.held.Add(user, -bytes)
		r.Body = http.MaxBytesReader(w, r.Body, b.size)
		b.limitAnswers(next).ServeHTTP(w, r)
	})
}

// limitAnswers refuses a request when its answer is ready if that and the other bodies of its user
// take too much.
func (b *bodyBudget) limitAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w, budget: b, user: b.user(r)}
		next.ServeHTTP(a, r)
		a.begin()
	})
}

// answer is an answer that counts while its peer has not read it. A small one does not count. It
// sends the status with the first bytes, because it may become a refusal until then.
type answer struct {
	http.ResponseWriter
	budget *bodyBudget
	user   string
	status int // 0 is none
	begun  bool
}

var errTooManyBytes = errors.New("the answers that the caller has not read take too much memory")

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	n, err := a.count(int64(len(p)), func() (int64, error) {
		n, err := a.ResponseWriter.Write(p)
		return int64(n), err
	})
	return int(n), err
}

// ReadFrom implements io.ReaderFrom. Files are sent in pieces of a whole that is in memory.
func (a *answer) ReadFrom(whole io.Reader) (int64, error) {
	size, err := strconv.ParseInt(a.Header().Get("Content-Length"), 10, 64)
	if err != nil {
		return io.Copy(struct{ io.Writer }{a}, whole)
	}
	return a.count(size, func() (int64, error) { return io.Copy(a.ResponseWriter, whole) })
}

// count calls write while size bytes count.
func (a *answer) count(size int64, write func() (int64, error)) (int64, error) {
	if size > smallBody {
		size = min(size, maxBodiesUser) // a larger one is sent alone
		if a.budget.held.Grow(a.user, size, maxBodiesUser, limitOfAll(size)) != nil {
			if !a.begun {
				a.begun = true
				a.Header().Del("Content-Length")
				writeTooManyBytes(a.ResponseWriter)
			}
			return 0, errTooManyBytes
		}
		defer a.budget.held.Add(a.user, -size)
	}

	a.begin()
	return write()
}

// begin sends the status.
func (a *answer) begin() {
	if !a.begun && a.status != 0 {
		a.ResponseWriter.WriteHeader(a.status)
	}
	a.begun = true
}

// FlushError is for http.ResponseController.
func (a *answer) FlushError() error {
	a.begin()
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// receive does what limit does, for a message over gRPC. Its size is not known until read has received it, so
// that it takes the largest size before, and further messages of its user wait for that. If read
// returns an error, the call has ended.
func (b *bodyBudget) receive(
	w http.ResponseWriter,
	r *http.Request,
	read func() error,
	next func(),
) {
	ctx, cancel := context.WithTimeout(r.Context(), bodyTimeout)
	defer cancel()
	user := b.user(r)
	bytes := b.size
	if b.held.Wait(ctx, user, bytes, maxBodiesUser, quota.Unlimited) != nil {
		writeTooManyBytes(w)
		return
	}

	err := read()
	b.held.Add(user, r.ContentLength-bytes)
	defer b.held.Add(user, -r.ContentLength)
	if err == nil {
		next()
	}
}

// limitOfAll returns the limit of all users for so many bytes. Small bodies may exceed it.
func limitOfAll(bytes int64) int64 {
	if bytes <= smallBody {
		return quota.Unlimited
	}
	return maxBodies
}

// user returns under whom the body of a request counts.
func (b *bodyBudget) user(r *http.Request) string {
	if p, ok := oauth.FromContext(r.Context()); ok {
		return p.User
	}
	return "\x00" + b.oauth.Address(r)
}

func writeTooManyBytes(w http.ResponseWriter) {
	quota.SetHeaders(w.Header(), retryAfter)
	writeError(
		w,
		http.StatusTooManyRequests,
		"too_many_requests",
		"Your running requests, and the answers that you have "+
			"not read, take too much memory. Try again when one has ended.",
	)
}
