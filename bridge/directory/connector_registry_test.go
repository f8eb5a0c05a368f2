package directory_test

import (
	"slices"
	"testing"

	"rialto/bridge/directory"
)

// offered keeps the connectors that are in force.
type offered struct{ names []string }

func (o *offered) Set(all []directory.Connector) error {
	o.names = nil
	for _, c := range all {
		o.names = append(o.names, c.Name)
	}
	return nil
}

// TestAnAddedConnectorThatCannotBeUsedIsListed adds connectors, and then takes their names and hosts in the
// configuration. They once counted nowhere, could be seen nowhere, and could not be removed; one with
// the host of the server took the place of the server.
func TestAnAddedConnectorThatCannotBeUsedIsListed(t *testing.T) {
	r := newRegistry(t)
	ctx := t.Context()
	in := &offered{}
	r.Offer = in
	r.URL = "https://rialto.example"
	for _, c := range []directory.Connector{
		{Name: "sales"}, {Name: "desk", Host: "desk.example"}, {Name: "own", Host: "own.example"}, {Name: "good"},
	} {
		if err := r.PutConnector(ctx, c, 0); err != nil {
			t.Fatal(err)
		}
	}
	r.URL = "https://own.example"
	configured := []directory.Connector{{Name: "sales"}, {Name: "front", Host: "desk.example"}}
	if err := r.Reconfigure(ctx, r.Configured, configured); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.names, []string{"sales", "front", "good"}) {
		t.Errorf("in force are %q", in.names)
	}
	all, err := r.Connectors(ctx)
	if err != nil {
		t.Fatal(err)
	}
	unused := map[string]string{}
	for _, c := range all {
		if c.Unused != "" {
			unused[c.Name] = c.Unused
		}
	}
	if len(all) != 6 || len(unused) != 3 {
		t.Fatalf("got %d connectors, not used: %q", len(all), unused)
	}
	for name := range unused {
		if err := r.RemoveConnector(ctx, name); err != nil {
			t.Errorf("removing %s: %v", name, err)
		}
	}
	if all, err := r.Connectors(ctx); err != nil || len(all) != 3 {
		t.Errorf("got %d connectors, %v", len(all), err)
	}
	if err := r.RemoveConnector(ctx, "sales"); err != directory.ErrConfiguredConnector {
		t.Errorf("got %v for one of the configuration", err)
	}
}
