package a2aserver

import (
	"fmt"
	"net/url"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// Check returns an error if card promises what this server does not do. Without it each
// caller would find out by a failed call.
func (s *Server) Check(card *a2a.Card) error {
	card = s.withInterfaces(card)
	for _, i := range card.Interfaces {
		if err := checkInterface(i); err != nil {
			return fmt.Errorf("the card of %s offers %w", card.Name, err)
		}
	}

	if _, ok := s.Agent.(a2a.Pusher); card.Capabilities.PushNotifications && !ok {
		return fmt.Errorf(
			"the card of %s offers push notifications, and the agent sends none", card.Name,
		)
	}
	if card.Capabilities.ExtendedAgentCard && s.Extender == nil {
		return fmt.Errorf("the card of %s offers an extended card, and there is none", card.Name)
	}

	for _, e := range card.Capabilities.Extensions {
		if e.Required {
			return fmt.Errorf(
				"the card of %s requires the extension %s, which is not served", card.Name, e.URI,
			)
		}
	}

	for _, need := range card.Security {
		for name := range need {
			if _, ok := card.SecuritySchemes[name]; !ok {
				return fmt.Errorf(
					"the card of %s requires the security scheme %q, which it does not explain",
					card.Name,
					name,
				)
			}
		}
	}

	return nil
}

// checkInterface checks what this server can know of an interface. One of gRPC is served elsewhere.
func checkInterface(i a2a.Interface) error {
	u, err := url.Parse(i.URL)
	_, spoken := wire.ByGeneration(i.Version)
	switch {
	case !spoken:
		return fmt.Errorf("A2A %q, which is not supported", i.Version)
	case i.Binding == a2a.GRPC:
		return nil
	case i.Binding != a2a.JSONRPC && i.Binding != a2a.HTTPJSON:
		return fmt.Errorf("the binding %q, which is not served", i.Binding)
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("an interface at %q, which is not an http or https URL", i.URL)
	default:
		return nil
	}
}
