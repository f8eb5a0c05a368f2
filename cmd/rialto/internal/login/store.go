package login

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/oauth2"
)

type token = oauth2.Token

// stored is a stored login. It is as secret as a password.
type stored struct {
	Issuer   string           `json:"issuer,omitempty"`   // the issuer of the token and of the client ID
	Resource string           `json:"resource,omitempty"` // that the token is for
	ClientID string           `json:"client_id"`
	Secret   string           `json:"client_secret,omitempty"`
	Style    oauth2.AuthStyle `json:"auth_style"`
	TokenURL string           `json:"token_endpoint"`
	Scope    string           `json:"scope,omitempty"` // that was asked for
	Token    token            `json:"token"`
	Key      *key             `json:"dpop_key,omitempty"`
}

// accessToken returns the access token, "" of no login.
func (s *stored) accessToken() string {
	if s == nil {
		return ""
	}
	return s.Token.AccessToken
}

// store holds the login to one server, in a file with those to all servers.
type store struct{ file, url string }

func (l *Login) store() store { return store{l.File, l.URL} }

// The locks are files beside the file, which the system unlocks when a process dies. That of the
// file is held for a write; that of a renewal while a token is renewed; that of the browser by the
// process that has opened it, and no process waits for it.
func (s store) lockFile() string { return s.file + ".lock" }
func (s store) renewal() string  { return s.file + "." + s.hash() + ".lock" }
func (s store) browser() string  { return s.file + "." + s.hash() + ".browser" }

func (s store) hash() string {
	sum := sha256.Sum256([]byte(s.url))
	return hex.EncodeToString(sum[:8])
}

func (s store) flock(file string) (*flock.Flock, error) {
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	return flock.New(file, flock.SetPermissions(0o600)), err
}

// lock locks a file against other processes, and against others in this one.
func (s store) lock(ctx context.Context, file string) (unlock func() error, err error) {
	l, err := s.flock(file)
	if err != nil {
		return nil, err
	}
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("locking the stored logins: %w", err)
	}
	return l.Close, nil
}

func (s store) readAll() (map[string]*stored, error) {
	all := map[string]*stored{}
	text, err := os.ReadFile(s.file)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the stored logins: %w; delete %s to log in again", err, s.file)
	}
	return all, nil
}

// read returns the stored login, nil if there is none.
func (s store) read() (*stored, error) {
	all, err := s.readAll()
	return all[s.url], err
}

// write stores a login, or forgets it if l is nil.
func (s store) write(ctx context.Context, l *stored) error {
	unlock, err := s.lock(ctx, s.lockFile())
	if err != nil {
		return err
	}
	defer unlock()
	all, err := s.readAll()
	if err != nil {
		return err
	}

	all[s.url] = l
	if l == nil {
		delete(all, s.url)
	}

	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}

	return replace(s.file, text)
}

// replace replaces a file with another that only its owner can read, so that a reader and a crash
// find the one or the other.
func replace(file string, text []byte) error {
	next, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".new-*") // with mode 0600
	if err != nil {
		return err
	}

	_, err = next.Write(text)
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), file)
	}
	if err != nil {
		os.Remove(next.Name())
	}

	return err
}
