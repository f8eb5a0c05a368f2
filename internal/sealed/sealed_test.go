package sealed_test

import (
	"bytes"
	"errors"
	"testing"

	"rialto/internal/sealed"
)

func TestOpensOnlyWithTheKeyAndInThePlace(t *testing.T) {
	key, other := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	text, err := sealed.Seal(key, "keys|private|1", []byte("plain"))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := sealed.Open(key, "keys|private|1", text); err != nil || string(plain) != "plain" {
		t.Errorf("got %q, %v", plain, err)
	}
	cut, last := text[:len(text)-2], text[len(text)-2:]
	for name, open := range map[string]func() ([]byte, error){
		"another key":     func() ([]byte, error) { return sealed.Open(other, "keys|private|1", text) },
		"another place":   func() ([]byte, error) { return sealed.Open(key, "keys|private|2", text) },
		"a changed text":  func() ([]byte, error) { return sealed.Open(key, "keys|private|1", last+text[2:]) },
		"a shorter text":  func() ([]byte, error) { return sealed.Open(key, "keys|private|1", cut) },
		"nothing":         func() ([]byte, error) { return sealed.Open(key, "keys|private|1", "") },
		"no text of ours": func() ([]byte, error) { return sealed.Open(key, "keys|private|1", "%") },
	} {
		if plain, err := open(); !errors.Is(err, sealed.ErrNotSealed) {
			t.Errorf("%s: got %q, %v", name, plain, err)
		}
	}
}

func TestSameThingIsNeverSealedAlike(t *testing.T) {
	key := make([]byte, 32)
	one, _ := sealed.Seal(key, "a", []byte("plain"))
	if two, _ := sealed.Seal(key, "a", []byte("plain")); one == two {
		t.Errorf("got %s twice", one)
	}
}

func TestKeyHasThirtyTwoBytes(t *testing.T) {
	if _, err := sealed.Seal(make([]byte, 16), "a", nil); err == nil {
		t.Error("sealed with a key of 16 bytes")
	}
	if _, err := sealed.Open(make([]byte, 16), "a", "b"); err == nil {
		t.Error("opened with a key of 16 bytes")
	}
}
