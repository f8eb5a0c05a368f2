package signin

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Values of Passkeys.Policy: who must sign in with a passkey.
const (
	PasskeysOptional = "optional"
	PasskeysRequired = "required"
	PasskeysOfAdmins = "required_for_administrators"
)

// Passkeys signs local accounts in with discoverable credentials (Web Authentication Level 3), whose
// authenticators verify the person. It also keeps recovery codes.
//
// A challenge is 16 random bytes, the end of its life, and a MAC over both, its ceremony and what the
// ceremony is bound to: a form in one browser, or a session. The store learns of it when it is used, so
// that pages that strangers open write nothing. It counts once on all replicas.
type Passkeys struct {
	Store    PasskeyStore
	Once     token.OnceStore
	Accounts *Accounts
	Policy   string
	Secret   []byte
	Env      *endpoint.Env

	ceremonies *webauthn.WebAuthn // nil: there are no passkeys
}

// challengeTTL is how long a challenge can be answered: as long as the sign-in form.
const challengeTTL = time.Hour

// maxPasskeys bounds the passkeys of an account.
const maxPasskeys = 20

// Open turns passkeys on, if browsers allow them at the address of the server: it needs a host name.
func (pk *Passkeys) Open() {
	u, err := url.Parse(pk.Env.Issuer)
	if err != nil {
		return
	}
	verified := protocol.AuthenticatorSelection{
		ResidentKey:      protocol.ResidentKeyRequirementRequired,
		UserVerification: protocol.VerificationRequired,
	}
	pk.ceremonies, err = webauthn.New(&webauthn.Config{
		RPID:                   u.Hostname(),
		RPDisplayName:          pk.Env.Name,
		RPOrigins:              []string{pk.Env.Issuer},
		AuthenticatorSelection: verified,
		AttestationPreference:  protocol.PreferNoAttestation,
	})
	if err != nil || protocol.ValidateRPID(u.Hostname()) != nil {
		pk.ceremonies = nil
	}
}

// Check says what is wrong with the configuration.
func (pk *Passkeys) Check() error {
	switch pk.Policy {
	case "", PasskeysOptional:
		return nil
	case PasskeysRequired, PasskeysOfAdmins:
		if pk.On() {
			return nil
		}
		return errors.New("passkeys: they need sign_in.local, and a url with a host name")
	}
	return fmt.Errorf(
		"passkeys: %q is not %s, %s or %s",
		pk.Policy, PasskeysOptional, PasskeysRequired, PasskeysOfAdmins,
	)
}

// On tells whether there are passkeys.
func (pk *Passkeys) On() bool { return pk.ceremonies != nil }

// Required tells whether an account must sign in with a passkey.
func (pk *Passkeys) Required(issuer string, admin bool) bool {
	required := pk.Policy == PasskeysRequired || admin && pk.Policy == PasskeysOfAdmins
	return required && pk.On() && issuer == ""
}

// Missing tells whether the account of a session must have a passkey, and has none yet.
func (pk *Passkeys) Missing(ctx context.Context, s *oauth.Session) (bool, error) {
	if !pk.Required(s.Issuer, s.Admin) {
		return false, nil
	}
	keys, err := pk.Store.Passkeys(ctx, s.AccountID)
	return len(keys) == 0, err
}

// holder is an account as the ceremonies see it.
type holder struct {
	account *oauth.Account
	keys    []webauthn.Credential
}

// WebAuthnID implements webauthn.User.
func (h holder) WebAuthnID() []byte { return []byte(h.account.ID) }

// WebAuthnName implements webauthn.User.
func (h holder) WebAuthnName() string { return h.account.Name }

// WebAuthnDisplayName implements webauthn.User.
func (h holder) WebAuthnDisplayName() string { return h.account.Name }

// WebAuthnCredentials implements webauthn.User.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.keys }

// holder returns an account that may have passkeys, with those that it has.
func (pk *Passkeys) holder(ctx context.Context, id string) (h holder, err error) {
	h.account, err = pk.Accounts.FindID(ctx, id)
	if err != nil {
		return h, err
	}
	if h.account.Issuer != "" || h.account.Disabled {
		return h, oauth.ErrNotFound
	}
	keys, err := pk.Store.Passkeys(ctx, id)
	for _, k := range keys {
		var c webauthn.Credential
		if err == nil {
			err = json.Unmarshal([]byte(k.Credential), &c)
		}
		c.Authenticator.SignCount = uint32(k.Count)
		h.keys = append(h.keys, c)
	}
	return h, err
}

// challenge returns a new challenge for a ceremony that is bound to something.
func (pk *Passkeys) challenge(ceremony, bound string) protocol.URLEncodedBase64 {
	c := make([]byte, 16, 24+43)
	rand.Read(c)
	c = binary.BigEndian.AppendUint64(c, uint64(pk.Env.Now().Add(challengeTTL).Unix()))
	return append(c, pk.seal(c, ceremony, bound)...)
}

func (pk *Passkeys) seal(c []byte, ceremony, bound string) []byte {
	text := "passkey " + ceremony + " " + bound + " " + string(c)
	return []byte(secret.MAC(pk.Secret, text))
}

// spend uses up a challenge, or returns errChallenge if it is not one of the ceremony, has ended or
// was used.
func (pk *Passkeys) spend(ctx context.Context, challenge, ceremony, bound string) error {
	c, err := base64.RawURLEncoding.DecodeString(challenge)
	if err != nil || len(c) < 24 || !bytes.Equal(c[24:], pk.seal(c[:24], ceremony, bound)) {
		return errChallenge
	}
	expires := time.Unix(int64(binary.BigEndian.Uint64(c[16:24])), 0)
	if !expires.After(pk.Env.Now()) {
		return errChallenge
	}
	err = pk.Once.UseOnce(ctx, secret.Hash("passkey "+string(c)), expires)
	if errors.Is(err, oauth.ErrReused) {
		return errChallenge
	}
	return err
}

// The ceremonies. Each takes challenges of its own only.
const (
	ceremonySignIn  = "sign-in"
	ceremonyConfirm = "confirm"
	ceremonyAdd     = "add"
)

var (
	errChallenge = &Refusal{
		Code:   "passkey_expired",
		Reason: "That took too long, or it was sent twice. Try again.",
	}
	errPasskey = &Refusal{
		Code:   "wrong_passkey",
		Reason: "This passkey can't be used here. It may have been removed from your account.",
	}
)

// Request returns the options for navigator.credentials.get as JSON, or "" without passkeys.
func (pk *Passkeys) Request(ceremony, bound string) (string, error) {
	if !pk.On() {
		return "", nil
	}
	options, _, err := pk.ceremonies.BeginDiscoverableLogin(
		webauthn.WithChallenge(pk.challenge(ceremony, bound)),
	)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(options.Response)
	return string(b), err
}

// Verify returns the account of the passkey that answered a challenge. It fails with a Refusal.
func (pk *Passkeys) Verify(
	ctx context.Context, ceremony, bound, response string,
) (*oauth.Account, error) {
	if !pk.On() {
		return nil, errPasskey
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(response))
	if err != nil {
		return nil, errPasskey
	}

	var failed error // of the store
	var h holder
	find := func(_, account []byte) (webauthn.User, error) {
		h, failed = pk.holder(ctx, string(account))
		return h, failed
	}
	challenge := parsed.Response.CollectedClientData.Challenge
	_, used, err := pk.ceremonies.ValidatePasskeyLogin(find, pk.session(challenge), parsed)
	switch {
	case failed != nil && !errors.Is(failed, oauth.ErrNotFound):
		return nil, failed
	case err != nil, used.Authenticator.CloneWarning:
		return nil, errPasskey
	}

	if err := pk.spend(ctx, challenge, ceremony, bound); err != nil {
		return nil, err
	}
	id := base64.RawURLEncoding.EncodeToString(used.ID)
	err = pk.Store.UsePasskey(ctx, id, int64(used.Authenticator.SignCount), pk.Env.Now())
	if err != nil { // ErrNotFound: it was removed, or used meanwhile
		return nil, oauth.IfNotFound(err, errPasskey)
	}
	return h.account, nil
}

// session returns what a ceremony with a challenge expects.
func (pk *Passkeys) session(challenge string) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge:        challenge,
		RelyingPartyID:   pk.ceremonies.Config.RPID,
		UserVerification: protocol.VerificationRequired,
	}
}

// Creation returns the options for navigator.credentials.create as JSON, or "" if an account cannot
// have another passkey. The challenge is bound to a session, or to a form in one browser.
func (pk *Passkeys) Creation(ctx context.Context, accountID, bound string) (string, error) {
	if !pk.On() {
		return "", nil
	}
	h, err := pk.holder(ctx, accountID)
	if err != nil || len(h.keys) >= maxPasskeys {
		return "", err
	}
	var known []protocol.CredentialDescriptor
	for _, k := range h.keys {
		known = append(known, k.Descriptor())
	}
	challenged := func(o *protocol.PublicKeyCredentialCreationOptions) error {
		o.Challenge = pk.challenge(ceremonyAdd, bound)
		return nil
	}
	options, _, err := pk.ceremonies.BeginRegistration(h, challenged, webauthn.WithExclusions(known))
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(options.Response)
	return string(b), err
}

// Add records the passkey that answered a challenge of Creation. It fails with a Refusal.
func (pk *Passkeys) Add(ctx context.Context, s *oauth.Session, name, response string) error {
	made, err := pk.create(ctx, s.AccountID, s.Hash, response)
	if err != nil {
		return err
	}
	return pk.keep(ctx, s.AccountID, name, made)
}

// create returns the passkey that answered a challenge of Creation, and uses up the challenge.
func (pk *Passkeys) create(
	ctx context.Context, accountID, bound, response string,
) (*webauthn.Credential, error) {
	if !pk.On() {
		return nil, errPasskey
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(response))
	if err != nil {
		return nil, errPasskey
	}
	h, err := pk.holder(ctx, accountID)
	if err != nil {
		return nil, err
	}
	if len(h.keys) >= maxPasskeys {
		return nil, &Refusal{
			Code:   "too_many_passkeys",
			Reason: "An account can have 20 passkeys. Remove one first.",
		}
	}

	challenge := parsed.Response.CollectedClientData.Challenge
	expected := pk.session(challenge)
	expected.UserID = h.WebAuthnID()
	expected.CredParams = webauthn.CredentialParametersDefault()
	made, err := pk.ceremonies.CreateCredential(h, expected, parsed)
	if err != nil {
		return nil, errPasskey
	}
	return made, pk.spend(ctx, challenge, ceremonyAdd, bound)
}

// keep records a passkey.
func (pk *Passkeys) keep(
	ctx context.Context, accountID, name string, made *webauthn.Credential,
) error {
	made.Attestation = webauthn.CredentialAttestation{} // nothing checks it again
	credential, err := json.Marshal(made)
	if err != nil {
		return err
	}
	err = pk.Store.AddPasskey(ctx, &oauth.Passkey{
		ID:         base64.RawURLEncoding.EncodeToString(made.ID),
		AccountID:  accountID,
		Name:       name,
		Credential: string(credential),
		Count:      int64(made.Authenticator.SignCount),
		Created:    pk.Env.Now(),
	})
	if errors.Is(err, oauth.ErrExists) {
		return errPasskey
	}
	return err
}

// recoveryCodes is how many recovery codes an account has.
const recoveryCodes = 10

// NewRecoveryCodes returns new recovery codes, which end the older ones. Show them only once.
func (pk *Passkeys) NewRecoveryCodes(ctx context.Context, accountID string) ([]string, error) {
	codes := make([]string, recoveryCodes)
	hashes := slices.Clone(codes)
	for i := range codes {
		codes[i] = newSetupCode()
		hashes[i] = secret.Hash(plainCode(codes[i]))
	}
	return codes, pk.Store.SetRecoveryCodes(ctx, accountID, hashes)
}

// recovered uses up a recovery code and tells whether it was one of the account, which may be nil.
func (pk *Passkeys) recovered(r *http.Request, a *oauth.Account, code string) (bool, error) {
	code = plainCode(code)
	if a == nil || a.Disabled || len(code) != 20 {
		return false, nil
	}
	err := pk.Store.TakeRecoveryCode(r.Context(), a.ID, secret.Hash(code))
	if errors.Is(err, oauth.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	pk.Env.AuditAccount(r, oauth.EventPasskey, a, "recovery code used")
	return true, nil
}
