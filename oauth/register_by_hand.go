package oauth

import (
	"context"

	"github.com/go-json-experiment/json"
)

// ByHand is a client that was registered by hand, with the secret that it is
// told once; "" for one that keeps none.
type ByHand struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret,omitempty"`
}

// RegisterByHand registers a client that an operator describes, under the rules
// for those that register themselves. An *Error says what they refuse.
func (s *Server) RegisterByHand(ctx context.Context, name string, redirectURIs []string, keepsSecret bool) (*ByHand, error) {
	method := authNone
	if keepsSecret {
		method = authPost
	}
	body, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": redirectURIs, "token_endpoint_auth_method": method})
	if err != nil {
		return nil, refuse("invalid_client_metadata", "The name is not text.")
	}
	c, err := s.parseRegistration(body)
	if err != nil {
		return nil, err
	}
	answer := s.admit(c)
	if err := s.Store.AddClient(ctx, c, maxClients); err != nil {
		return nil, err
	}
	s.Log.InfoContext(ctx, "oauth: client registered by the operator", "client", c.ID, "name", c.Name, "redirect_uris", c.RedirectURIs)
	return &ByHand{answer.ID, answer.Secret}, nil
}
