package wire

import (
	"cmp"
	"encoding/json"
	"strings"

	"rialto/a2a"
)

// pushDoc is a config of push notifications, or what asks for one, in any
// generation: flat in 1.0, inside of another that names the task before, and
// with both in a path in the protocol buffers of 0.3.
type pushDoc struct {
	ID             string       `json:"id"` // of the task where TaskID is not given: 0.1, and all that asks before 1.0
	TaskID         string       `json:"taskId"`
	ConfigID       string       `json:"pushNotificationConfigId"`
	Name           string       `json:"name"`   // tasks/{task}/pushNotificationConfigs/{config}
	Parent         string       `json:"parent"` // tasks/{task}
	URL            string       `json:"url"`
	Token          string       `json:"token"`
	Authentication *pushAuthDoc `json:"authentication"`
	Inner          *pushDoc     `json:"pushNotificationConfig"`
	Config         *pushDoc     `json:"config"`   // a CreateTaskPushNotificationConfigRequest
	NewID          string       `json:"configId"` // of it
}

// pushAuthDoc has a scheme in 1.0 and a list of them before.
type pushAuthDoc struct {
	Scheme      string   `json:"scheme,omitempty"`
	Schemes     []string `json:"schemes,omitempty"`
	Credentials string   `json:"credentials,omitempty"`
}

// PushID names a config of a task. ID is empty where all of them are meant, or
// the first.
type PushID struct {
	Task a2a.TaskID
	ID   string
}

// DecodePush reads a config. What was asked for goes before.
func (d jsonCodec) DecodePush(result []byte, asked PushID) (*a2a.PushConfig, error) {
	return d.DecodePushSet(result, asked)
}

// DecodePushSet reads the parameters of a call that sets a config. What a path
// says of it goes before.
func (d jsonCodec) DecodePushSet(params []byte, path PushID) (*a2a.PushConfig, error) {
	var in pushDoc
	if err := decodeParams(params, &in); err != nil {
		return nil, err
	}
	return complete(in.config(), d.generation, path)
}

// complete returns c as one of generation g, with what a path says of it, if it
// is whole.
func complete(c *a2a.PushConfig, g a2a.Generation, path PushID) (*a2a.PushConfig, error) {
	c.Generation = g
	c.TaskID, c.ID = cmp.Or(path.Task, c.TaskID), cmp.Or(path.ID, c.ID)
	switch {
	case c.TaskID == "":
		return nil, a2a.Errorf(a2a.InvalidParams, "the id of the task is missing")
	case c.URL == "":
		return nil, a2a.Errorf(a2a.InvalidParams, "the url of the webhook is missing")
	}
	return c, nil
}

// config returns what doc says, however deep inside.
func (doc *pushDoc) config() *a2a.PushConfig {
	if in := cmp.Or(doc.Inner, doc.Config); in != nil {
		c := in.config()
		named := doc.named()
		c.TaskID = cmp.Or(named.Task, a2a.TaskID(doc.TaskID), a2a.TaskID(doc.ID), c.TaskID)
		c.ID = cmp.Or(named.ID, c.ID, doc.NewID)
		return c
	}
	named := doc.named()
	c := &a2a.PushConfig{
		TaskID: cmp.Or(named.Task, a2a.TaskID(doc.TaskID)), ID: cmp.Or(named.ID, doc.ID),
		URL: doc.URL, Token: doc.Token,
	}
	if a := doc.Authentication; a != nil {
		c.Authentication = &a2a.PushAuthentication{Schemes: a.Schemes, Credentials: a.Credentials}
		if a.Scheme != "" {
			c.Authentication.Schemes = []string{a.Scheme}
		}
	}
	return c
}

func (doc *pushDoc) named() PushID {
	return parseResource(cmp.Or(doc.Name, doc.Parent))
}

// parseResource reads what the protocol buffers of 0.3 call a task or a config.
func parseResource(name string) PushID {
	task, config, _ := strings.Cut(strings.TrimPrefix(name, taskResource), pushResource)
	return PushID{a2a.TaskID(task), config}
}

// The parts of a resource.
const (
	taskResource = "tasks/"
	pushResource = "/pushNotificationConfigs/"
)

// DecodePushID reads the parameters of a call that asks for configs, or drops
// one. What a path says of it goes before.
func (d jsonCodec) DecodePushID(_ Op, params []byte, path PushID) (PushID, error) {
	var in pushDoc
	if err := decodeParams(params, &in); err != nil {
		return PushID{}, err
	}
	id := PushID{a2a.TaskID(in.ID), in.ConfigID}
	if in.TaskID != "" {
		id = PushID{a2a.TaskID(in.TaskID), cmp.Or(in.ConfigID, in.ID)}
	}
	if named := in.named(); named.Task != "" {
		id = named
	}
	return id.below(path)
}

// below returns id with what a path says of it, if it names a task.
func (id PushID) below(path PushID) (PushID, error) {
	id = PushID{cmp.Or(path.Task, id.Task), cmp.Or(path.ID, id.ID)}
	if id.Task == "" {
		return id, a2a.Errorf(a2a.InvalidParams, "the id of the task is missing")
	}
	return id, nil
}

// EncodePushSet returns the parameters of a call that sets c.
func (d jsonCodec) EncodePushSet(c *a2a.PushConfig, tenant string) ([]byte, error) {
	switch {
	case d.generation == a2a.V10:
		return marshal("config", struct {
			Tenant string `json:"tenant,omitempty"`
			pushV10
		}{tenant, newPushV10(c)})
	case d.boxed: // over HTTP+JSON, too: a2a-js and a2a-python want the whole request as the body
		return marshal("config", struct {
			Parent   string `json:"parent"`
			ConfigID string `json:"configId"`
			Config   any    `json:"config"`
		}{taskResource + string(c.TaskID), c.ID, d.push(c)})
	}
	return d.EncodePush(c)
}

// EncodePushID returns the parameters of a call that asks for configs, or drops
// one.
func (d jsonCodec) EncodePushID(op Op, id PushID, tenant string) ([]byte, error) {
	var out struct {
		Name     string     `json:"name,omitempty"`
		Parent   string     `json:"parent,omitempty"`
		Tenant   string     `json:"tenant,omitempty"`
		TaskID   a2a.TaskID `json:"taskId,omitempty"`
		ID       string     `json:"id,omitempty"`
		ConfigID string     `json:"pushNotificationConfigId,omitempty"`
	}
	switch {
	case d.resources && op == PushList:
		out.Parent = taskResource + string(id.Task)
	case d.resources:
		out.Name = resource(id)
	case d.generation == a2a.V10:
		out.Tenant, out.TaskID, out.ID = tenant, id.Task, id.ID
	case d.callersName:
		out.ID = string(id.Task)
	default:
		out.ID, out.ConfigID = string(id.Task), id.ID
	}
	return marshal("config", out)
}

// resource returns how the protocol buffers of 0.3 name a config.
func resource(id PushID) string {
	return taskResource + string(id.Task) + pushResource + id.ID
}

// DecodePushes reads what lists the configs of a task: a list, or an object
// around it.
func (d jsonCodec) DecodePushes(result []byte, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	var list []json.RawMessage
	if isObject(result) {
		var in struct {
			Configs []json.RawMessage `json:"configs"`
		}
		if err := unmarshal(result, &in); err != nil {
			return nil, err
		}
		list = in.Configs
	} else if err := unmarshal(result, &list); err != nil {
		return nil, err
	}
	var all []*a2a.PushConfig
	for _, one := range list {
		c, err := d.DecodePush(one, PushID{Task: task})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// The configs of each generation, as results.
type (
	pushV10 struct {
		ID             string       `json:"id"`
		TaskID         a2a.TaskID   `json:"taskId,omitempty"`
		URL            string       `json:"url"`
		Token          string       `json:"token,omitempty"`
		Authentication *pushAuthDoc `json:"authentication,omitempty"`
	}
	pushV03 struct {
		ID             string       `json:"id,omitempty"`
		URL            string       `json:"url"`
		Token          string       `json:"token,omitempty"`
		Authentication *pushAuthDoc `json:"authentication,omitempty"`
	}
	taskPushV03 struct {
		TaskID a2a.TaskID `json:"taskId"`
		Config pushV03    `json:"pushNotificationConfig"`
	}
	taskPushV03Rest struct {
		Name   string  `json:"name"`
		Config pushV03 `json:"pushNotificationConfig"`
	}
	taskPushV01 struct {
		ID     a2a.TaskID `json:"id"`
		Config pushV03    `json:"pushNotificationConfig"`
	}
)

// EncodePush returns c as the result of a call that sets it or asks for it.
func (d jsonCodec) EncodePush(c *a2a.PushConfig) ([]byte, error) {
	return marshal("config", d.push(c))
}

// EncodePushes returns the result of a call that lists the configs of a task: a
// list in JSON-RPC before 1.0, and an object around it else.
func (d jsonCodec) EncodePushes(cs []*a2a.PushConfig) ([]byte, error) {
	list := filled(each(cs, d.push))
	if d.generation != a2a.V10 && !d.boxed {
		return marshal("configs", list)
	}
	return marshal("configs", struct {
		Configs []any `json:"configs"`
	}{list})
}

func (d jsonCodec) push(c *a2a.PushConfig) any {
	switch {
	case d.generation == a2a.V10:
		return newPushV10(c)
	case d.boxed:
		return taskPushV03Rest{resource(PushID{c.TaskID, c.ID}), newPushV03(c)}
	case d.callersName:
		in := newPushV03(c)
		in.ID = "" // which 0.1 does not know
		return taskPushV01{cmp.Or(c.Name, c.TaskID), in}
	default:
		return taskPushV03{c.TaskID, newPushV03(c)}
	}
}

func newPushV10(c *a2a.PushConfig) pushV10 {
	out := pushV10{ID: c.ID, TaskID: c.TaskID, URL: c.URL, Token: c.Token}
	if a := c.Authentication; a != nil {
		out.Authentication = &pushAuthDoc{Credentials: a.Credentials}
		if len(a.Schemes) > 0 {
			out.Authentication.Scheme = a.Schemes[0]
		}
	}
	return out
}

func newPushV03(c *a2a.PushConfig) pushV03 {
	out := pushV03{ID: c.ID, URL: c.URL, Token: c.Token}
	if a := c.Authentication; a != nil {
		out.Authentication = &pushAuthDoc{Schemes: filled(a.Schemes), Credentials: a.Credentials}
	}
	return out
}

// inlinePushV10 and inlinePushV03 are the config that comes with a message; nil
// where none does.
func inlinePushV10(r *a2a.SendRequest) *pushV10 {
	if r.Push == nil {
		return nil
	}
	p := newPushV10(r.Push)
	return &p
}

func inlinePushV03(r *a2a.SendRequest) *pushV03 {
	if r.Push == nil {
		return nil
	}
	p := newPushV03(r.Push)
	return &p
}

// decodeInlinePush reads the config that comes with a message: the first of
// the members that each generation has for it, if it is an object.
func decodeInlinePush(members ...json.RawMessage) (*a2a.PushConfig, error) {
	for _, m := range members {
		if !isObject(m) {
			continue
		}
		var in pushDoc
		if err := unmarshal(m, &in); err != nil {
			return nil, a2a.Errorf(a2a.InvalidParams, "the config of push notifications: %v", err)
		}
		return inline(in.config())
	}
	return nil, nil
}

// inline returns a config that comes with a message, if it is whole.
func inline(c *a2a.PushConfig) (*a2a.PushConfig, error) {
	if c.TaskID = ""; c.URL == "" {
		return nil, a2a.Errorf(a2a.InvalidParams, "the url of the webhook is missing")
	}
	return c, nil
}
