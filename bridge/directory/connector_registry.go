package directory

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	"rialto/internal/i18n"
)

// Errors about connectors.
var (
	ErrNoConnector         = errors.New("there is no such connector")
	ErrConnectorExists     = errors.New("there is a connector with this name")
	ErrConnectorChanged    = errors.New("the connector was changed in between")
	ErrTooManyConnectors   = errors.New("there are too many connectors")
	ErrConfiguredConnector = i18n.Errorf("the connector is of the configuration: change it there")
)

// MaxConnectors limits the number of added connectors.
const MaxConnectors = 200

// StoredConnector is an added connector in the store.
type StoredConnector struct {
	Name     string
	Settings []byte // JSON of a Connector

	// Version is the version of the list when the connector was last written; 0 adds one.
	Version int64

	Created, Changed time.Time
}

// ConnectorStatus is a connector as an operator sees it.
type ConnectorStatus struct {
	Connector
	URL        string    `json:"url"`
	Configured bool      `json:"configured"`       // it is of the configuration, and cannot be changed here
	Unused     string    `json:"unused,omitempty"` // why it is not in force
	Version    int64     `json:"version"`          // for PutConnector
	Created    time.Time `json:"created,omitzero"`
	Changed    time.Time `json:"changed,omitzero"`
}

// Offer puts connectors in force.
type Offer interface {
	Set([]Connector) error
}

// Connectors returns the connectors: first those of the configuration, whose names and hosts win. Added
// ones that cannot be used now are among them.
func (r *Registry) Connectors(ctx context.Context) ([]ConnectorStatus, error) {
	kept, err := r.Store.KeptAgents(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	configured := r.ConfiguredConnectors
	r.mu.Unlock()
	return r.connectors(configured, kept), nil
}

// ConnectorsInForce returns those that are used.
func (r *Registry) ConnectorsInForce(ctx context.Context) ([]Connector, error) {
	all, err := r.Connectors(ctx)
	return inForce(all), err
}

func inForce(all []ConnectorStatus) (used []Connector) {
	for _, c := range all {
		if c.Unused == "" {
			used = append(used, c.Connector)
		}
	}
	return used
}

func (r *Registry) connectors(configured []Connector, kept *StoredAgents) []ConnectorStatus {
	all := []ConnectorStatus{}
	used := slices.Clone(configured)
	for _, c := range configured {
		all = append(all, ConnectorStatus{Connector: c, URL: c.URL(r.URL), Configured: true})
	}
	for _, record := range kept.Connectors {
		s := ConnectorStatus{Version: record.Version, Created: record.Created, Changed: record.Changed}
		err := json.Unmarshal(record.Settings, &s.Connector)
		s.Name = record.Name
		s.URL = s.Connector.URL(r.URL)
		if err == nil {
			err = s.checkAddress(used, r.host())
		}
		if err != nil {
			s.Unused = err.Error()
		} else {
			used = append(used, s.Connector)
		}
		all = append(all, s)
	}
	return all
}

// host returns that of the server.
func (r *Registry) host() string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Connector returns the connector with a name, or ErrNoConnector.
func (r *Registry) Connector(ctx context.Context, name string) (*ConnectorStatus, error) {
	all, err := r.Connectors(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(c ConnectorStatus) bool { return c.Name == name })
	if i < 0 {
		return nil, ErrNoConnector
	}
	return &all[i], nil
}

// PutConnector adds a connector, with version 0, or replaces the one with a version. It returns a
// ConfigError, or one of the errors about connectors.
func (r *Registry) PutConnector(ctx context.Context, c Connector, version int64) error {
	all, err := r.Connectors(ctx)
	if err != nil {
		return err
	}
	var others []Connector
	for _, o := range all {
		switch {
		case o.Name != c.Name && o.Unused != "":
		case o.Name != c.Name:
			others = append(others, o.Connector)
		case o.Configured:
			return ErrConfiguredConnector
		case version == 0:
			return ErrConnectorExists
		}
	}
	agents, err := r.List(ctx)
	if err != nil {
		return err
	}
	configs := make([]AgentConfig, len(agents))
	for i, a := range agents {
		configs[i] = a.AgentConfig
	}
	if err := c.Check(others, configs, r.host()); err != nil {
		return &ConfigError{err}
	}
	settings, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return r.changed(ctx, r.Store.PutConnector(ctx, StoredConnector{
		Name:     c.Name,
		Settings: settings,
		Version:  version,
		Changed:  r.Now(),
	}, MaxConnectors))
}

// RemoveConnector removes a connector that was added. Its tokens stop at once.
func (r *Registry) RemoveConnector(ctx context.Context, name string) error {
	all, err := r.Connectors(ctx)
	if err != nil {
		return err
	}
	named := func(c ConnectorStatus) bool { return c.Name == name }
	added := func(c ConnectorStatus) bool { return named(c) && !c.Configured }
	if slices.ContainsFunc(all, named) && !slices.ContainsFunc(all, added) {
		return ErrConfiguredConnector
	}
	return r.changed(ctx, r.Store.RemoveConnector(ctx, name))
}

// offer puts the connectors in force.
func (r *Registry) offer(ctx context.Context, kept *StoredAgents) error {
	if r.Offer == nil {
		return nil
	}
	all := r.connectors(r.ConfiguredConnectors, kept)
	for _, c := range all {
		if c.Unused != "" {
			r.Log.WarnContext(
				ctx, "a connector that was added is not used",
				"connector", c.Name,
				"reason", c.Unused,
			)
		}
	}
	return r.Offer.Set(inForce(all))
}
