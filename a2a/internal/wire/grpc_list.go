package wire

import (
	"rialto/a2a"
)

// EncodeList returns f as a ListTasksRequest (Codec), which only 1.0 has.
func (d protobuf) EncodeList(f a2a.TaskFilter, tenant string) ([]byte, error) {
	return encoded(func(w *buffer) {
		w.text(1, tenant)
		w.text(2, f.ContextID)
		if f.State != "" {
			w.int(3, protoState(f.State))
		}
		if f.PageSize > 0 {
			w.int(4, min(f.PageSize, maxPageSize))
		}
		w.text(5, f.PageToken)
		w.optional(6, f.HistoryLength)
		w.time(7, f.Since)
		w.flag(8, f.Artifacts)
	})
}

// DecodeList reads a ListTasksRequest (Codec).
func (d protobuf) DecodeList(params []byte) (a2a.TaskFilter, error) {
	var out a2a.TaskFilter
	var size *int
	f := newFields(params)
	for f.next() {
		switch f.tag {
		case 2<<3 | sized:
			out.ContextID = f.text()
		case 3<<3 | varint:
			if f.number >= uint64(len(protoStates)) {
				f.check(a2a.Errorf(a2a.InvalidParams, "status %d is not the state of a task", f.number))
			} else if f.number > 0 {
				out.State = protoStates[f.number]
			}
		case 4<<3 | varint:
			n := f.int()
			size = &n
		case 5<<3 | sized:
			out.PageToken = f.text()
		case 6<<3 | varint:
			out.HistoryLength = d.history(&f)
		case 7<<3 | sized:
			out.Since = f.time()
		case 8<<3 | varint:
			out.Artifacts = f.flag()
		}
	}
	if f.err != nil {
		return out, badParams(f.err)
	}
	if err := checkHistory(out.HistoryLength); err != nil {
		return out, err
	}
	var err error
	out.PageSize, err = checkPageSize(size)
	return out, err
}

// EncodePage returns p as a ListTasksResponse (Codec).
func (d protobuf) EncodePage(p *a2a.TaskPage) ([]byte, error) {
	return encoded(func(w *buffer) {
		for _, t := range p.Tasks {
			at := w.begin(1)
			d.writeTask(w, t)
			w.end(at)
		}
		w.text(2, p.Next)
		w.int(3, p.Size)
		w.int(4, p.Total)
	})
}

// DecodePage reads a ListTasksResponse (Codec).
func (d protobuf) DecodePage(result []byte) (*a2a.TaskPage, error) {
	p := &a2a.TaskPage{}
	f := newFields(result)
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			t, err := d.readTask(f.inner())
			f.check(inside("tasks", len(p.Tasks), err))
			p.Tasks = append(p.Tasks, t)
		case 2<<3 | sized:
			p.Next = f.text()
		case 3<<3 | varint:
			p.Size = f.int()
		case 4<<3 | varint:
			p.Total = f.int()
		}
	}
	return p, f.err
}
