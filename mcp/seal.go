package mcp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// What the server gives a client to keep, it seals: it carries the proof that
// this server wrote it, for this purpose and this principal. Nobody else can
// use it, and no part of it can be changed.
const (
	sealSession = "mcp session"
	sealRequest = "mcp request"
)

var encoding = base64.RawURLEncoding.Strict()

// seal returns note with its proof, as text.
func seal(key []byte, purpose, principal string, note []byte) string {
	return encoding.EncodeToString(note) + "." + encoding.EncodeToString(proof(key, purpose, principal, note))
}

// unseal returns the note in what seal returned, nil if it is not that.
func unseal(key []byte, purpose, principal, sealed string) []byte {
	note, mac, _ := strings.Cut(sealed, ".")
	b, err1 := encoding.DecodeString(note)
	got, err2 := encoding.DecodeString(mac)
	if len(key) == 0 || err1 != nil || err2 != nil || !hmac.Equal(got, proof(key, purpose, principal, b)) {
		return nil
	}
	return b
}

func proof(key []byte, purpose, principal string, note []byte) []byte {
	mac := hmac.New(sha256.New, key)
	head := binary.BigEndian.AppendUint32([]byte(purpose+"\x00"), uint32(len(principal)))
	mac.Write(append(head, principal...)) // its length keeps it apart from the note
	mac.Write(note)
	return mac.Sum(nil)
}
