package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/config"
)

func TestIconsAndTheManifestAreAtTheRoot(t *testing.T) {
	s := newRigWith(t, func(c *config.Config) { c.Name = "Acme" })
	page := s.do("GET", "/signin", "", "").body
	for path, kind := range map[string]string{
		"/favicon.ico":          "image/vnd.microsoft.icon",
		"/apple-touch-icon.png": "image/png",
		"/site.webmanifest":     "application/manifest+json",
		"/robots.txt":           "text/plain; charset=utf-8",
	} {
		got := s.do("GET", path, "", "")
		if got.status != http.StatusOK || got.header.Get("Content-Type") != kind || got.body == "" {
			t.Errorf("%s: got %d, %q", path, got.status, got.header.Get("Content-Type"))
		}
		if linked := strings.Contains(page, `href="`+path+`"`); !linked && path != "/favicon.ico" && path != "/robots.txt" {
			t.Errorf("the page does not name %s", path)
		}
	}

	var manifest struct {
		Name  string
		Icons []struct{ Src, Type string }
	}
	text := s.do("GET", "/site.webmanifest", "", "").body
	if err := json.Unmarshal([]byte(text), &manifest); err != nil || len(manifest.Icons) != 1 {
		t.Fatalf("got %s, %v", text, err)
	}
	icon := s.do("GET", manifest.Icons[0].Src, "", "")
	if kind := icon.header.Get("Content-Type"); manifest.Name != "Acme" || kind != manifest.Icons[0].Type {
		t.Errorf("got %s for an icon of %q", text, kind)
	}
}

// TestSecurityTxtNamesTheContact: RFC 9116.
func TestSecurityTxtNamesTheContact(t *testing.T) {
	const path = "/.well-known/security.txt"
	if got := newRig(t).do("GET", path, "", ""); got.status != http.StatusNotFound {
		t.Errorf("without a contact: got %d, want 404", got.status)
	}

	s := newRigWith(t, func(c *config.Config) { c.Serving.SecurityContact = "mailto:security@rialto.example" })
	got := s.do("GET", path, "", "")
	fields := map[string]string{}
	for line := range strings.Lines(got.body) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		fields[name] = value
	}
	left := time.Duration(0)
	if expires, err := time.Parse(time.RFC3339, fields["Expires"]); err == nil {
		left = time.Until(expires)
	}
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("got %d, %q", got.status, got.header.Get("Content-Type"))
	}
	if fields["Contact"] != "mailto:security@rialto.example" || !strings.HasSuffix(fields["Canonical"], path) {
		t.Errorf("got %s", got.body)
	}
	if left < 24*time.Hour || left > 365*24*time.Hour {
		t.Errorf("it expires in %s, want at most a year", left)
	}
}
