package server

import (
	"testing"
)

func TestDownloadsNeedAnEnabledAccount(t *testing.T) {
	r := newRig(t)
	alice, err := r.oauth.Accounts.Find(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	admitted := func() bool {
		ok, err := r.bridge.Documents.Accounts.Active(t.Context(), alice.ID)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !admitted() {
		t.Error("a user with an account is not admitted")
	}
	if err := r.oauth.Accounts.Remove(t.Context(), "alice"); err != nil {
		t.Fatal(err)
	}
	if admitted() {
		t.Error("a user whose account was removed is admitted")
	}
}
