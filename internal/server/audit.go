package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"rialto/internal/audit"
	"rialto/internal/usage"
	"rialto/oauth"
)

// openLogs begins to keep the audit log and the usage. It comes before what
// has something to tell them.
func (s *Server) openLogs() {
	s.audit = (&audit.Log{Store: s.store.Records, Now: time.Now, Log: s.log}).Open()
	s.usage = (&usage.Log{Store: s.store.Records, Log: s.log}).Open()
	s.OAuth.Record(oauthEvents{s.audit})
	s.bridge.Meter = s.usage.Record
}

// oauthEvents writes what happens at the authorization server into the audit
// log.
type oauthEvents struct{ to audit.Recorder }

var kinds = map[oauth.EventKind]audit.Kind{
	oauth.EventSignIn:     audit.SignIn,
	oauth.EventConsent:    audit.Consent,
	oauth.EventReuse:      audit.Reuse,
	oauth.EventRegistered: audit.ClientRegistered,
	oauth.EventChanged:    audit.ClientChanged,
	oauth.EventRemoved:    audit.ClientRemoved,
	oauth.EventRevoked:    audit.GrantRevoked,
	oauth.EventAccount:    audit.AccountAdded,
	oauth.EventKey:        audit.KeyRotated,
}

// Happened implements oauth.Events.
func (o oauthEvents) Happened(ctx context.Context, e oauth.Event) {
	target := e.ClientID
	if e.GrantID != "" {
		target = e.GrantID
	}
	if e.Kind == oauth.EventAccount {
		target = e.Account
	}
	actor := e.Account
	if actor == "" && e.Kind == oauth.EventKey {
		actor = "server"
	}
	o.to.Record(ctx, audit.Event{
		Kind: kinds[e.Kind], Outcome: audit.Outcome(e.Outcome), ActorID: e.AccountID, Actor: actor,
		Address: e.Address, Target: target, Detail: e.Detail,
	})
}

// auditSettings tells the audit log when the settings in force are others than
// those that were noted last. Their digest is all that is kept of them.
func (s *Server) auditSettings(ctx context.Context) error {
	b, err := json.Marshal(s.cfg.Settings())
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	digest := base64.RawURLEncoding.EncodeToString(sum[:12])
	last, err := s.store.Records.Events(ctx, audit.Filter{Kind: audit.Settings, Limit: 1})
	if err != nil {
		return err
	}
	if len(last) == 0 || last[0].Target != digest {
		s.audit.Record(ctx, audit.Event{Kind: audit.Settings, Actor: "server", Target: digest, Detail: Version()})
	}
	return nil
}

// deleteBatch is how many records one statement forgets.
const deleteBatch = 2000

// deleteOldRecords forgets what is older than the configuration says, as much as an
// hour can bring.
func (s *Server) deleteOldRecords(ctx context.Context) error {
	now := time.Now()
	return errors.Join(
		deleteInBatches(func() (int, error) {
			return s.store.Records.DropCalls(ctx, now.Add(-s.cfg.Usage.Retention), deleteBatch)
		}),
		deleteInBatches(func() (int, error) {
			return s.store.Records.DropEvents(ctx, now.Add(-s.cfg.Audit.Retention), deleteBatch)
		}),
	)
}

// deleteInBatches drops batches until one is not full.
func deleteInBatches(batch func() (int, error)) error {
	for range 10_000 {
		if n, err := batch(); err != nil || n < deleteBatch {
			return err
		}
	}
	return nil
}

// auditConnection writes down that the person of a request has connected an
// agent, or forgotten how.
func (s *Server) auditConnection(r *http.Request, agent string, connected bool) {
	kind := audit.AgentForgotten
	if connected {
		kind = audit.AgentConnected
	}
	p, _ := oauth.FromContext(r.Context())
	s.audit.Record(r.Context(), audit.Event{Kind: kind, ActorID: p.User, Actor: p.Name, Address: s.OAuth.Env.Address(r), Target: agent})
}
