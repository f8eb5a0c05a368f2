package directory

import (
	"fmt"

	"rialto/internal/sealed"
)

// seal encrypts the secret of an agent together with the hosts that get it, so that
// write access to the database is not enough to send it elsewhere.
func (r *Registry) seal(a AgentConfig) (string, error) {
	if a.Credentials.Secret == "" {
		return "", nil
	}
	return sealed.Seal(r.Key, sealPurpose(a), []byte(a.Credentials.Secret))
}

func (r *Registry) unseal(a AgentConfig, text string) (string, error) {
	plain, err := sealed.Open(r.Key, sealPurpose(a), text)
	if err != nil {
		return "", fmt.Errorf(
			"opening its secret: is it the secret that the database was made with? %w", err,
		)
	}
	return string(plain), nil
}

func sealPurpose(a AgentConfig) string {
	return fmt.Sprintf("agents|secret|%q|%q|%q", a.Name, a.URL, a.Credentials.TokenURL)
}
