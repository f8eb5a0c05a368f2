package wire

import (
	"cmp"
	"encoding/json"
	"strings"

	"rialto/a2a"
)

// pushDoc is a config of push notifications, or a request about one, in any generation:
// flat in 1.0; inside an object that names the task before; and in a resource that names
// both in the protocol buffers of 0.3.
type pushDoc struct {
	Tenant         string       `json:"tenant,omitempty"`
	Name           string       `json:"name,omitempty"`   // tasks/{task}/pushNotificationConfigs/{config}
	Parent         string       `json:"parent,omitempty"` // tasks/{task}
	TaskID         string       `json:"taskId,omitempty"`
	ID             string       `json:"id,omitempty"` // the task's without TaskID: in 0.1, and in requests before 1.0
	ConfigID       string       `json:"pushNotificationConfigId,omitempty"`
	URL            string       `json:"url,omitempty"`
	Token          string       `json:"token,omitempty"`
	Authentication *pushAuthDoc `json:"authentication,omitempty"`
	Inner          *pushDoc     `json:"pushNotificationConfig,omitempty"`
	NewID          string       `json:"configId,omitempty"` // of a CreateTaskPushNotificationConfigRequest
	Config         *pushDoc     `json:"config,omitempty"`   // of it, too
}

// pushAuthDoc has a scheme in 1.0 and a list of them before.
type pushAuthDoc struct {
	Scheme      string   `json:"scheme,omitempty"`
	Schemes     []string `json:"schemes,omitempty"`
	Credentials string   `json:"credentials,omitempty"`
}

// PushID names a config of a task. ID is empty where all of them are meant, or the first.
type PushID struct {
	Task a2a.TaskID
	ID   string
}

// DecodePush reads the result of a call that sets a config or asks for it. asked takes precedence.
func (d jsonCodec) DecodePush(result []byte, asked PushID) (*a2a.PushConfig, error) {
	doc, err := d.json(pushBody, result)
	if err != nil {
		return nil, err
	}
	return d.decodePush(doc, asked)
}

// DecodePushSet reads the parameters of a call that sets a config. The path takes precedence.
func (d jsonCodec) DecodePushSet(params []byte, path PushID) (*a2a.PushConfig, error) {
	doc, err := d.json(pushSetBody, params)
	if err != nil {
		return nil, invalidParams("params: %v", err)
	}
	return d.decodePush(doc, path)
}

// decodePush returns the config in doc, with what a path says of it, if it is complete.
func (d jsonCodec) decodePush(doc []byte, path PushID) (*a2a.PushConfig, error) {
	var in pushDoc
	if err := decodeParams(doc, &in); err != nil {
		return nil, err
	}

	c := in.config()
	c.Generation = d.generation
	c.TaskID, c.ID = cmp.Or(path.Task, c.TaskID), cmp.Or(path.ID, c.ID)
	switch {
	case c.TaskID == "":
		return nil, a2a.InvalidParam("taskId", "is missing: it names the task")
	case c.URL == "":
		return nil, a2a.InvalidParam("url", "is missing: it is that of the webhook")
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

// DecodePushID reads the parameters of a call that asks for configs, or deletes one. The path takes
// precedence.
func (d jsonCodec) DecodePushID(op Op, params []byte, path PushID) (PushID, error) {
	var in pushDoc
	if err := d.decodeParams(pushQuery(op), params, &in); err != nil {
		return PushID{}, err
	}

	id := PushID{a2a.TaskID(in.ID), in.ConfigID}
	if in.TaskID != "" {
		id = PushID{a2a.TaskID(in.TaskID), cmp.Or(in.ConfigID, in.ID)}
	}
	if named := in.named(); named.Task != "" {
		id = named
	}

	id = PushID{cmp.Or(path.Task, id.Task), cmp.Or(path.ID, id.ID)}
	if id.Task == "" {
		return id, a2a.InvalidParam("taskId", "is missing: it names the task")
	}

	return id, nil
}

// EncodePushSet returns the parameters of a call that sets c. Over HTTP+JSON of 0.3 they
// are the whole request, because a2a-js and a2a-python require it as the body.
func (d jsonCodec) EncodePushSet(c *a2a.PushConfig, tenant string) ([]byte, error) {
	doc := d.push(c)
	switch {
	case d.generation == a2a.V10:
		doc.Tenant = tenant
	case d.boxed:
		doc = &pushDoc{Parent: taskResource + string(c.TaskID), NewID: c.ID, Config: doc}
	}
	return d.encode(pushSetBody, doc)
}

// pushQuery returns the body of op, which asks for configs or deletes one.
func pushQuery(op Op) body {
	if op == PushList {
		return pushListBody
	}
	return pushQueryBody
}

// EncodePushID returns the parameters of a call that asks for configs, or deletes one.
func (d jsonCodec) EncodePushID(op Op, id PushID, tenant string) ([]byte, error) {
	doc := pushDoc{ID: string(id.Task), ConfigID: id.ID}
	switch {
	case d.resources && op == PushList:
		doc = pushDoc{Parent: taskResource + string(id.Task)}
	case d.resources:
		doc = pushDoc{Name: resource(id)}
	case d.generation == a2a.V10:
		doc = pushDoc{Tenant: tenant, TaskID: string(id.Task), ID: id.ID}
	case d.callersName:
		doc.ConfigID = ""
	}

	return d.encode(pushQuery(op), doc)
}

// resource returns how the protocol buffers of 0.3 name a config.
func resource(id PushID) string {
	return taskResource + string(id.Task) + pushResource + id.ID
}

// DecodePushes reads what lists the configs of a task: a list, or an object around it.
func (d jsonCodec) DecodePushes(result []byte, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	result, err := d.json(pushesBody, result)
	if err != nil {
		return nil, err
	}

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
		c, err := d.decodePush(one, PushID{Task: task})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}

	return all, nil
}

// EncodePush returns c as the result of a call that sets it or asks for it.
func (d jsonCodec) EncodePush(c *a2a.PushConfig) ([]byte, error) {
	return d.encode(pushBody, d.push(c))
}

// EncodePushes returns the result of a call that lists the configs of a task: a
// list in JSON-RPC before 1.0, and an object around it else.
func (d jsonCodec) EncodePushes(cs []*a2a.PushConfig) ([]byte, error) {
	list := filled(each(cs, d.push))
	if d.generation != a2a.V10 && !d.boxed {
		return d.encode(pushesBody, list)
	}
	return d.encode(pushesBody, map[string][]*pushDoc{"configs": list})
}

// push returns c as the result of a call about it.
func (d jsonCodec) push(c *a2a.PushConfig) *pushDoc {
	if d.generation == a2a.V10 {
		doc := newPush(c, true)
		doc.TaskID = string(c.TaskID)
		return doc
	}

	out := &pushDoc{Inner: newPush(c, false)}
	switch {
	case d.boxed:
		out.Name = resource(PushID{c.TaskID, c.ID})
	case d.callersName:
		out.ID = string(cmp.Or(c.Name, c.TaskID))
		out.Inner.ID = "" // which 0.1 does not know
	default:
		out.TaskID = string(c.TaskID)
	}

	return out
}

// newPush returns c without its task; nil if it is nil.
func newPush(c *a2a.PushConfig, oneScheme bool) *pushDoc {
	if c == nil {
		return nil
	}

	out := &pushDoc{ID: c.ID, URL: c.URL, Token: c.Token}
	if a := c.Authentication; a != nil {
		out.Authentication = &pushAuthDoc{Schemes: a.Schemes, Credentials: a.Credentials}
		if oneScheme && len(a.Schemes) > 0 {
			out.Authentication.Scheme = a.Schemes[0]
		}
		if oneScheme {
			out.Authentication.Schemes = nil
		}
	}

	return out
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
			return nil, a2a.InvalidParam("pushNotificationConfig", "is invalid: %v", err)
		}
		c := in.config()
		c.TaskID = ""
		if c.URL == "" {
			return nil, a2a.InvalidParam("url", "is missing: it is that of the webhook")
		}
		return c, nil
	}
	return nil, nil
}
