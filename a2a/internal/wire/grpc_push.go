package wire

import (
	"cmp"

	"google.golang.org/protobuf/encoding/protowire"

	"rialto/a2a"
)

// writePush writes a TaskPushNotificationConfig or, in 0.3, the
// PushNotificationConfig in it.
func (d protobuf) writePush(w *buffer, c *a2a.PushConfig) {
	if d.v03 {
		w.text(1, c.ID)
		w.text(2, c.URL)
	} else {
		w.text(2, c.ID)
		w.text(3, string(c.TaskID))
		w.text(4, c.URL)
	}
	token := protowire.Number(d.either(3, 5))
	w.text(token, c.Token)
	a := c.Authentication
	if a == nil {
		return
	}
	at := w.begin(token + 1)
	if schemes := a.Schemes; d.v03 {
		w.texts(1, schemes)
	} else if len(schemes) > 0 {
		w.text(1, schemes[0])
	}
	w.text(2, a.Credentials)
	w.end(at)
}

// pushConfig reads what writePush writes.
func (d protobuf) pushConfig(f fields) (*a2a.PushConfig, error) {
	c := &a2a.PushConfig{Generation: a2a.V10}
	if d.v03 {
		c.Generation = a2a.V03
	}
	var err error
	id, url, token := d.either(1, 2), d.either(2, 4), d.either(3, 5)
	for f.next() {
		switch f.tag {
		case id<<3 | sized:
			c.ID = f.text()
		case url<<3 | sized:
			c.URL = f.text()
		case token<<3 | sized: // before the task's, which has the number that 0.3 gives to this
			c.Token = f.text()
		case 3<<3 | sized:
			c.TaskID = a2a.TaskID(f.text())
		case (token+1)<<3 | sized:
			c.Authentication, err = pushAuthentication(f.inner())
			f.check(err)
		}
	}
	return c, f.err
}

func pushAuthentication(f fields) (*a2a.PushAuthentication, error) {
	a := &a2a.PushAuthentication{}
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			a.Schemes = append(a.Schemes, f.text())
		case 2<<3 | sized:
			a.Credentials = f.text()
		}
	}
	return a, f.err
}

// writeTaskPush writes a TaskPushNotificationConfig. That of 0.3 says whose it is
// by a resource.
func (d protobuf) writeTaskPush(w *buffer, c *a2a.PushConfig) {
	if !d.v03 {
		d.writePush(w, c)
		return
	}
	w.text(1, resource(PushID{c.TaskID, c.ID}))
	at := w.begin(2)
	d.writePush(w, c)
	w.end(at)
}

// taskPush reads a TaskPushNotificationConfig.
func (d protobuf) taskPush(f fields) (*a2a.PushConfig, error) {
	if !d.v03 {
		return d.pushConfig(f)
	}
	c, named := &a2a.PushConfig{}, PushID{}
	var err error
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			named = parseResource(f.text())
		case 2<<3 | sized:
			c, err = d.pushConfig(f.inner())
			f.check(err)
		}
	}
	c.TaskID, c.ID = named.Task, cmp.Or(named.ID, c.ID)
	return c, f.err
}

// EncodePushSet returns c as a TaskPushNotificationConfig or, in 0.3, a
// CreateTaskPushNotificationConfigRequest (Codec).
func (d protobuf) EncodePushSet(c *a2a.PushConfig, tenant string) ([]byte, error) {
	return encoded(func(w *buffer) {
		if !d.v03 {
			w.text(1, tenant)
			d.writePush(w, c)
			return
		}
		w.text(1, taskResource+string(c.TaskID))
		w.text(2, c.ID)
		at := w.begin(3)
		d.writeTaskPush(w, c)
		w.end(at)
	})
}

// DecodePushSet reads what EncodePushSet writes (Codec).
func (d protobuf) DecodePushSet(params []byte, path PushID) (*a2a.PushConfig, error) {
	c, err := d.pushSet(params)
	if err != nil {
		return nil, badParams(err)
	}
	return complete(c, c.Generation, path)
}

func (d protobuf) pushSet(params []byte) (*a2a.PushConfig, error) {
	if !d.v03 {
		return d.taskPush(newFields(params))
	}
	c, id := &a2a.PushConfig{}, PushID{}
	var err error
	f := newFields(params)
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			id.Task = parseResource(f.text()).Task
		case 2<<3 | sized:
			id.ID = f.text()
		case 3<<3 | sized:
			c, err = d.taskPush(f.inner())
			f.check(err)
		}
	}
	c.TaskID, c.ID = cmp.Or(id.Task, c.TaskID), cmp.Or(c.ID, id.ID)
	return c, f.err
}

// EncodePush returns c as a TaskPushNotificationConfig (Codec).
func (d protobuf) EncodePush(c *a2a.PushConfig) ([]byte, error) {
	return encoded(func(w *buffer) { d.writeTaskPush(w, c) })
}

// DecodePush reads a TaskPushNotificationConfig (Codec).
func (d protobuf) DecodePush(result []byte, asked PushID) (*a2a.PushConfig, error) {
	c, err := d.taskPush(newFields(result))
	if err != nil {
		return nil, err
	}
	return complete(c, c.Generation, asked)
}

// EncodePushID returns id as the request that op has for it (Codec). That which
// lists configs numbers its fields otherwise.
func (d protobuf) EncodePushID(op Op, id PushID, tenant string) ([]byte, error) {
	return encoded(func(w *buffer) {
		switch {
		case d.v03 && op == PushList:
			w.text(1, taskResource+string(id.Task))
		case d.v03:
			w.text(1, resource(id))
		case op == PushList:
			w.text(1, string(id.Task))
			w.text(4, tenant)
		default:
			w.text(1, tenant)
			w.text(2, string(id.Task))
			w.text(3, id.ID)
		}
	})
}

// DecodePushID reads what EncodePushID writes (Codec).
func (d protobuf) DecodePushID(op Op, params []byte, path PushID) (PushID, error) {
	var texts [4]string // by their numbers
	f := newFields(params)
	for f.next() {
		if num := f.tag >> 3; f.tag&7 == sized && num < len(texts) {
			texts[num] = f.text()
		}
	}
	var id PushID
	switch {
	case f.err != nil:
		return id, badParams(f.err)
	case d.v03:
		id = parseResource(texts[1])
	case op == PushList:
		id.Task = a2a.TaskID(texts[1])
	default:
		id = PushID{a2a.TaskID(texts[2]), texts[3]}
	}
	return id.below(path)
}

// EncodePushes returns the list of configs that answers for a task (Codec).
func (d protobuf) EncodePushes(cs []*a2a.PushConfig) ([]byte, error) {
	return encoded(func(w *buffer) {
		for _, c := range cs {
			at := w.begin(1)
			d.writeTaskPush(w, c)
			w.end(at)
		}
	})
}

// DecodePushes reads what EncodePushes writes (Codec).
func (d protobuf) DecodePushes(result []byte, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	var all []*a2a.PushConfig
	f := newFields(result)
	for f.next() {
		if f.tag == 1<<3|sized {
			f.spend(objectRoom)
			c, err := d.DecodePush(f.bytes, PushID{Task: task})
			f.check(err)
			all = append(all, c)
		}
	}
	return all, f.err
}
