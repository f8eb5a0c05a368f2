package config

import (
	"fmt"

	"rialto/bridge/uploads"
)

// Uploads bounds the files that people and programs send by links.
type Uploads struct {
	Size          Size   `koanf:"size"` // 0: none can be sent
	StoredPerUser Size   `koanf:"stored_per_user"`
	Stored        Size   `koanf:"stored"`
	ScanURL       string `koanf:"scan_url"`
}

// Service returns what takes files within these bounds, with a key of 32 bytes; nil if none can be sent.
func (u Uploads) Service(
	store uploads.Store, key []byte, accounts uploads.Accounts,
) *uploads.Service {
	if u.Size == 0 {
		return nil
	}
	return uploads.New(&uploads.Service{
		Store:    store,
		Key:      key,
		Accounts: accounts,
		MaxSize:  int64(u.Size),
		OfOwner:  int64(u.StoredPerUser),
		All:      int64(u.Stored),
		ScanURL:  u.ScanURL,
	})
}

func (u Uploads) check() error {
	if u.ScanURL != "" && !isAddress(u.ScanURL, "http", "https") {
		return fmt.Errorf("uploads.scan_url: %q is not an http or https address", u.ScanURL)
	}
	return nil
}
