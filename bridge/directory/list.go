package directory

// snapshot is the list of agents at one moment. It is replaced, never changed.
type snapshot struct {
	agents []*Agent // in the operator's order
	named  map[string]*Agent
}

// SetAgents replaces the agents. An agent with the same URL and Revision keeps its connection.
// Running tasks of a disabled or removed agent are still followed here. An agent that may have
// tasks should stay in the list, disabled, so that another process can take them over.
func (d *Directory) SetAgents(agents []AgentConfig) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list.Store(newSnapshot(agents, d.snapshot()))
	select {
	case d.relisted <- struct{}{}:
	default: // it is ready already, or not in use
	}
	d.agentsChanged("")
}

// newSnapshot returns a list of agents, with the connections of the list before.
func newSnapshot(agents []AgentConfig, before *snapshot) *snapshot {
	next := &snapshot{named: make(map[string]*Agent, len(agents))}
	for _, a := range agents {
		p := &Agent{AgentConfig: a, connection: &connection{}}
		if old := before.named[a.Name]; old != nil && old.URL == a.URL &&
			old.Revision == a.Revision {
			p.connection = old.connection
			p.stale.Store(a.Review)
		}
		next.agents = append(next.agents, p)
		next.named[a.Name] = p
	}

	return next
}

// All returns the agents in the operator's order, the disabled ones included.
func (d *Directory) All() []*Agent { return d.snapshot().agents }

// Changes returns a channel that is ready after the list has changed.
func (d *Directory) Changes() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.relisted == nil {
		d.relisted = make(chan struct{}, 1)
	}
	return d.relisted
}

func (d *Directory) snapshot() *snapshot {
	if d.list.Load() == nil {
		d.list.CompareAndSwap(nil, newSnapshot(d.Initial, &snapshot{}))
	}
	return d.list.Load()
}

// Lookup returns the agent with a name; nil if there is none. It is for work without a
// caller, such as recovery, and for operators.
func (d *Directory) Lookup(name string) *Agent { return d.snapshot().named[name] }

// Primary returns the name of the default agent or, without one, of the only agent; ""
// if there is neither.
func (d *Directory) Primary() string {
	if name := d.InForce().Default; name != "" {
		return name
	}

	only := ""
	for _, p := range d.snapshot().agents {
		switch {
		case p.Disabled:
		case only != "":
			return ""
		default:
			only = p.Name
		}
	}

	return only
}

// Agents returns the agents that a call may send tasks to, in the order of the operator.
func (d *Directory) Agents(a Access) []*Agent {
	var allowed []*Agent
	for _, p := range d.snapshot().agents {
		if !p.Disabled && a.Allows(p, "") {
			allowed = append(allowed, p)
		}
	}
	return allowed
}

// Agent returns an agent that a call may know of, or nil. It may be disabled: then it takes
// no messages, and its tasks can be seen.
func (d *Directory) Agent(a Access, name string) *Agent {
	p := d.Lookup(name)
	if p == nil || !a.Allows(p, "") {
		return nil
	}
	return p
}
