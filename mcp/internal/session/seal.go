package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
)

var encoding = base64.RawURLEncoding.Strict()

// Seal returns note with a MAC, as text for a client to keep. The MAC proves that
// this server wrote the note for this purpose and this principal; no other can use
// it, and no part of it can be changed.
func Seal(key []byte, purpose, principal string, note []byte) string {
	return encoding.EncodeToString(note) + "." + encoding.EncodeToString(mac(key, purpose, principal, note))
}

// Unseal returns the note in what Seal returned, nil if it is not that.
func Unseal(key []byte, purpose, principal, sealed string) []byte {
	note, sum, _ := strings.Cut(sealed, ".")
	b, err1 := encoding.DecodeString(note)
	got, err2 := encoding.DecodeString(sum)
	if len(key) == 0 || err1 != nil || err2 != nil ||
		!hmac.Equal(got, mac(key, purpose, principal, b)) {
		return nil
	}
	return b
}

func mac(key []byte, purpose, principal string, note []byte) []byte {
	h := hmac.New(sha256.New, key)
	head := binary.BigEndian.AppendUint32([]byte(purpose+"\x00"), uint32(len(principal)))
	h.Write(append(head, principal...)) // its length keeps it apart from the note
	h.Write(note)
	return h.Sum(nil)
}
