package oauthbench

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ory/fosite"
)

// fositeStore keeps what fosite hands to it, in plain SQL: one table, in which
// kind says what a row is for. Its statements run on both engines.
type fositeStore struct{ read, write *statements }

// fositeClient is the client, as it is recorded and as stored requests name it.
var fositeClient = &fosite.DefaultClient{
	ID: "bench", Public: true, RedirectURIs: []string{callback}, Scopes: []string{clientScope},
	ResponseTypes: []string{"code"}, GrantTypes: []string{"authorization_code", "refresh_token"},
}

const (
	kindCode    = "code"
	kindPKCE    = "pkce"
	kindAccess  = "access"
	kindRefresh = "refresh"
)

func openFositeStore(ctx context.Context, dsn string) (*fositeStore, error) {
	s, err := connectFosite(dsn)
	if err != nil {
		return nil, err
	}
	for _, statement := range []string{
		`CREATE TABLE sessions (
			kind TEXT NOT NULL, signature TEXT NOT NULL, request_id TEXT NOT NULL, active BIGINT NOT NULL, request TEXT NOT NULL,
			PRIMARY KEY (kind, signature))`,
		`CREATE INDEX sessions_request ON sessions (request_id, kind)`,
		`CREATE TABLE clients (id TEXT NOT NULL PRIMARY KEY, client TEXT NOT NULL)`,
	} {
		if _, err := s.write.db.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	if err := s.prepareAll(); err != nil {
		return nil, err
	}
	return s, s.addClient(ctx)
}

func (s *fositeStore) addClient(ctx context.Context) error {
	row, err := json.Marshal(fositeClient)
	if err != nil {
		return err
	}
	return s.exec(ctx, `INSERT INTO clients (id, client) VALUES ($1, $2)`, fositeClient.ID, string(row))
}

// connectFosite opens the database as store does.
func connectFosite(dsn string) (*fositeStore, error) {
	if strings.HasPrefix(dsn, "postgres") {
		db, err := sql.Open("pgx", dsn)
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(16)
		db.SetMaxIdleConns(16)
		both := &statements{db: db}
		return &fositeStore{both, both}, nil
	}
	open := func(n int, query url.Values) (*statements, error) {
		query["_pragma"] = []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"}
		db, err := sql.Open("sqlite", "file:"+dsn+"?"+query.Encode())
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(n)
		db.SetMaxIdleConns(n)
		return &statements{db: db}, nil
	}
	write, err := open(1, url.Values{"_txlock": {"immediate"}})
	if err != nil {
		return nil, err
	}
	read, err := open(4, url.Values{})
	return &fositeStore{read, write}, err
}

// statements is a handle with what it has prepared.
type statements struct {
	db    *sql.DB
	mu    sync.Mutex
	known map[string]*sql.Stmt
}

func (s *statements) prepared(query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.known[query]; st != nil {
		return st, nil
	}
	st, err := s.db.Prepare(query)
	if err != nil {
		return nil, err
	}
	if s.known == nil {
		s.known = map[string]*sql.Stmt{}
	}
	s.known[query] = st
	return st, nil
}

// prepareAll prepares every statement that is used within transactions, which
// may hold the only connection.
func (s *fositeStore) prepareAll() error {
	for _, query := range []string{insertSession, deactivate, deleteByID, deactivateByID, deleteSession} {
		if _, err := s.write.prepared(query); err != nil {
			return err
		}
	}
	_, err := s.read.prepared(selectSession)
	return err
}

const (
	insertSession  = `INSERT INTO sessions (kind, signature, request_id, active, request) VALUES ($1, $2, $3, 1, $4)`
	selectSession  = `SELECT active, request FROM sessions WHERE kind = $1 AND signature = $2`
	deactivate     = `UPDATE sessions SET active = 0 WHERE kind = $1 AND signature = $2`
	deleteSession  = `DELETE FROM sessions WHERE kind = $1 AND signature = $2`
	deactivateByID = `UPDATE sessions SET active = 0 WHERE kind = $1 AND request_id = $2`
	deleteByID     = `DELETE FROM sessions WHERE kind = $1 AND request_id = $2`
)

// txKey is where fosite's transactions are in a context.
type txKey struct{}

// BeginTX, Commit and Rollback implement fosite's storage.Transactional.
func (s *fositeStore) BeginTX(ctx context.Context) (context.Context, error) {
	tx, err := s.write.db.BeginTx(ctx, nil)
	return context.WithValue(ctx, txKey{}, tx), err
}

func (s *fositeStore) Commit(ctx context.Context) error { return ctx.Value(txKey{}).(*sql.Tx).Commit() }

func (s *fositeStore) Rollback(ctx context.Context) error {
	return ctx.Value(txKey{}).(*sql.Tx).Rollback()
}

func (s *fositeStore) exec(ctx context.Context, query string, args ...any) error {
	st, err := s.write.prepared(query)
	if err != nil {
		return err
	}
	if tx, ok := ctx.Value(txKey{}).(*sql.Tx); ok {
		st = tx.StmtContext(ctx, st)
	}
	_, err = st.ExecContext(ctx, args...)
	return err
}

// kept is a request as it is stored.
type kept struct {
	ID        string
	At        time.Time
	Requested []string
	Granted   []string
	Audience  []string
	Form      url.Values
	Session   json.RawMessage
}

func (s *fositeStore) create(ctx context.Context, kind, signature string, r fosite.Requester) error {
	session, err := json.Marshal(r.GetSession())
	if err != nil {
		return err
	}
	row, err := json.Marshal(kept{r.GetID(), r.GetRequestedAt(), r.GetRequestedScopes(), r.GetGrantedScopes(), r.GetGrantedAudience(), r.GetRequestForm(), session})
	if err != nil {
		return err
	}
	return s.exec(ctx, insertSession, kind, signature, r.GetID(), string(row))
}

// find returns a request, with inactive if it is there and used up.
func (s *fositeStore) find(ctx context.Context, kind, signature string, session fosite.Session, inactive error) (fosite.Requester, error) {
	st, err := s.read.prepared(selectSession)
	if err != nil {
		return nil, err
	}
	var active int
	var text string
	err = st.QueryRowContext(ctx, kind, signature).Scan(&active, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fosite.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	var row kept
	if err := json.Unmarshal([]byte(text), &row); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(row.Session, session); err != nil {
		return nil, err
	}
	r := &fosite.Request{
		ID: row.ID, RequestedAt: row.At, Client: fositeClient, RequestedScope: row.Requested, GrantedScope: row.Granted,
		GrantedAudience: row.Audience, Form: row.Form, Session: session,
	}
	if active == 0 {
		return r, inactive
	}
	return r, nil
}

// GetClient and its companions implement fosite.ClientManager.
func (s *fositeStore) GetClient(ctx context.Context, id string) (fosite.Client, error) {
	st, err := s.read.prepared(`SELECT client FROM clients WHERE id = $1`)
	if err != nil {
		return nil, err
	}
	var row string
	err = st.QueryRowContext(ctx, id).Scan(&row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fosite.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	c := &fosite.DefaultClient{}
	return c, json.Unmarshal([]byte(row), c)
}

func (s *fositeStore) ClientAssertionJWTValid(context.Context, string) error { return nil }

func (s *fositeStore) SetClientAssertionJWT(context.Context, string, time.Time) error { return nil }

// CreateAuthorizeCodeSession and its companions implement the storages of
// fosite's handlers.
func (s *fositeStore) CreateAuthorizeCodeSession(ctx context.Context, code string, r fosite.Requester) error {
	return s.create(ctx, kindCode, code, r)
}

func (s *fositeStore) GetAuthorizeCodeSession(ctx context.Context, code string, session fosite.Session) (fosite.Requester, error) {
	return s.find(ctx, kindCode, code, session, fosite.ErrInvalidatedAuthorizeCode)
}

func (s *fositeStore) InvalidateAuthorizeCodeSession(ctx context.Context, code string) error {
	return s.exec(ctx, deactivate, kindCode, code)
}

func (s *fositeStore) CreatePKCERequestSession(ctx context.Context, signature string, r fosite.Requester) error {
	return s.create(ctx, kindPKCE, signature, r)
}

func (s *fositeStore) GetPKCERequestSession(ctx context.Context, signature string, session fosite.Session) (fosite.Requester, error) {
	return s.find(ctx, kindPKCE, signature, session, fosite.ErrNotFound)
}

func (s *fositeStore) DeletePKCERequestSession(ctx context.Context, signature string) error {
	return s.exec(ctx, deleteSession, kindPKCE, signature)
}

func (s *fositeStore) CreateAccessTokenSession(ctx context.Context, signature string, r fosite.Requester) error {
	return s.create(ctx, kindAccess, signature, r)
}

func (s *fositeStore) GetAccessTokenSession(ctx context.Context, signature string, session fosite.Session) (fosite.Requester, error) {
	return s.find(ctx, kindAccess, signature, session, fosite.ErrNotFound)
}

func (s *fositeStore) DeleteAccessTokenSession(ctx context.Context, signature string) error {
	return s.exec(ctx, deleteSession, kindAccess, signature)
}

func (s *fositeStore) CreateRefreshTokenSession(ctx context.Context, signature, _ string, r fosite.Requester) error {
	return s.create(ctx, kindRefresh, signature, r)
}

func (s *fositeStore) GetRefreshTokenSession(ctx context.Context, signature string, session fosite.Session) (fosite.Requester, error) {
	return s.find(ctx, kindRefresh, signature, session, fosite.ErrInactiveToken)
}

func (s *fositeStore) DeleteRefreshTokenSession(ctx context.Context, signature string) error {
	return s.exec(ctx, deleteSession, kindRefresh, signature)
}

// RotateRefreshToken ends what the request gave before, as fosite's own
// storage does.
func (s *fositeStore) RotateRefreshToken(ctx context.Context, requestID, signature string) error {
	return errors.Join(s.exec(ctx, deactivate, kindRefresh, signature), s.RevokeAccessToken(ctx, requestID))
}

func (s *fositeStore) RevokeRefreshToken(ctx context.Context, requestID string) error {
	return s.exec(ctx, deactivateByID, kindRefresh, requestID)
}

func (s *fositeStore) RevokeAccessToken(ctx context.Context, requestID string) error {
	return s.exec(ctx, deleteByID, kindAccess, requestID)
}
