package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASecretFileThatOthersMayReadIsWarnedOf reads the file with several permissions.
func TestASecretFileThatOthersMayReadIsWarnedOf(t *testing.T) {
	cfg := &Config{}
	cfg.Storage.SecretFile = filepath.Join(t.TempDir(), "secret")
	if _, err := LoadSecret(cfg); err != nil || len(cfg.Warnings()) != 0 {
		t.Fatalf("got %v, %v for a file that was just made, want no warning", cfg.Warnings(), err)
	}
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o640: false, 0o644: true, 0o604: true} {
		if err := os.Chmod(cfg.Storage.SecretFile, mode); err != nil {
			t.Fatal(err)
		}
		cfg.origin.notes = nil
		if _, err := LoadSecret(cfg); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(cfg.Warnings(), " "); strings.Contains(got, "chmod o-r "+cfg.Storage.SecretFile) != warned {
			t.Errorf("%o: got %q, want a warning %v", mode, got, warned)
		}
	}
}
