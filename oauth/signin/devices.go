package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/secret"
)

// Devices recognize browsers in which an account has signed in, by a cookie, so that the guesses of
// strangers do not lock its owner out ("device cookies", OWASP). The cookie opens nothing. New browsers
// are recognized by their network.
//
// A cookie is 16 random bytes and a MAC of them, the account and its password: a new password ends it.

// deviceTTL is how long a browser is recognized.
const deviceTTL = 180 * 24 * time.Hour

// deviceCookie names the cookie of an account.
func deviceCookie(account string) string { return "rialto-device-" + secret.Hash(account)[:12] }

// remember makes this browser a device of the account, which signed in, and records its network.
func (pw *Passwords) remember(w http.ResponseWriter, r *http.Request, a *oauth.Account) error {
	nonce := make([]byte, 16)
	rand.Read(nonce)
	pw.Env.SetCookie(
		w,
		deviceCookie(a.ID),
		base64.RawURLEncoding.EncodeToString(slices.Concat(nonce, pw.deviceMAC(a, nonce))),
		deviceTTL,
	)
	network := pw.networkMAC(a.ID, pw.Env.Network(r))
	return pw.Guesses.SignedIn(r.Context(), a.ID, network, pw.Env.Now())
}

// networkMAC returns what the store knows of a network of an account.
func (pw *Passwords) networkMAC(account, network string) string {
	return secret.MAC(pw.Secret, "network "+account+" "+network)
}

// device returns the hash of the browser's cookie if it is a device of the account, or "".
func (pw *Passwords) device(r *http.Request, a *oauth.Account) string {
	if a == nil {
		return ""
	}
	value := pw.Env.Cookie(r, deviceCookie(a.ID))
	b, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || len(b) != 32 || !hmac.Equal(b[16:], pw.deviceMAC(a, b[:16])) {
		return ""
	}
	return secret.Hash(value)
}

func (pw *Passwords) deviceMAC(a *oauth.Account, nonce []byte) []byte {
	mac := hmac.New(sha256.New, pw.Secret)
	mac.Write([]byte("device|" + a.ID + "|" + a.Password + "|"))
	mac.Write(nonce)
	return mac.Sum(nil)[:16]
}
