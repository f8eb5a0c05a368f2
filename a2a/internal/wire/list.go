package wire

import (
	"time"

	"rialto/a2a"
)

// maxPageSize is what A2A 1.0 allows a caller to ask for (section 3.1.4).
const maxPageSize = 100

// listV10 is a ListTasksRequest. Generations before 1.0 have none.
type listV10 struct {
	Tenant               string `json:"tenant,omitempty"`
	ContextID            string `json:"contextId,omitempty"`
	Status               string `json:"status,omitempty"`
	PageSize             *int   `json:"pageSize,omitempty"`
	PageToken            string `json:"pageToken,omitempty"`
	HistoryLength        *int   `json:"historyLength,omitempty"`
	StatusTimestampAfter string `json:"statusTimestampAfter,omitempty"`
	IncludeArtifacts     bool   `json:"includeArtifacts,omitempty"`
}

// pageV10 is a ListTasksResponse.
type pageV10 struct {
	Tasks         []any  `json:"tasks"`
	NextPageToken string `json:"nextPageToken"`
	PageSize      int    `json:"pageSize"`
	TotalSize     int    `json:"totalSize"`
}

// EncodeList returns the parameters of a call that lists tasks.
func (d jsonCodec) EncodeList(f a2a.TaskFilter, tenant string) ([]byte, error) {
	out := listV10{
		Tenant:               tenant,
		ContextID:            f.ContextID,
		PageToken:            f.PageToken,
		HistoryLength:        f.HistoryLength,
		StatusTimestampAfter: formatTime(f.Since),
		IncludeArtifacts:     f.Artifacts,
	}
	if f.State != "" {
		out.Status = stateV1(f.State)
	}
	if f.PageSize > 0 {
		out.PageSize = new(min(f.PageSize, maxPageSize))
	}

	return d.encode(listBody, out)
}

// DecodeList reads the parameters of a call that lists tasks, which may be absent.
func (d jsonCodec) DecodeList(params []byte) (a2a.TaskFilter, error) {
	var in listV10
	if len(params) > 0 {
		if err := d.decodeParams(listBody, params, &in); err != nil {
			return a2a.TaskFilter{}, err
		}
	}

	f := a2a.TaskFilter{
		ContextID:     in.ContextID,
		PageToken:     in.PageToken,
		HistoryLength: in.HistoryLength,
		Artifacts:     in.IncludeArtifacts,
	}
	if err := checkHistory(in.HistoryLength); err != nil {
		return f, err
	}

	var err error
	f.PageSize, err = checkPageSize(in.PageSize)
	if err != nil {
		return f, err
	}
	if in.Status != "" && in.Status != "TASK_STATE_UNSPECIFIED" {
		f.State = stateOf(in.Status)
		if f.State == a2a.Unknown {
			return f, a2a.InvalidParam("status", "%q is not the state of a task", in.Status)
		}
	}
	if in.StatusTimestampAfter != "" {
		f.Since, err = time.Parse(time.RFC3339, in.StatusTimestampAfter)
		if err != nil {
			return f, a2a.InvalidParam(
				"statusTimestampAfter", "must be a time such as 2026-01-02T15:04:05Z",
			)
		}
	}

	return f, nil
}

// checkPageSize returns the size of a page, 0 where none is asked for.
func checkPageSize(n *int) (int, error) {
	switch {
	case n == nil:
		return 0, nil
	case *n < 1 || *n > maxPageSize:
		return 0, a2a.InvalidParam("pageSize", "must be from 1 to %d", maxPageSize)
	default:
		return *n, nil
	}
}

// EncodePage returns p as the result of a call that lists tasks.
func (d jsonCodec) EncodePage(p *a2a.TaskPage) ([]byte, error) {
	tasks := each(p.Tasks, d.encoder.task)
	return d.encode(pageBody, pageV10{filled(tasks), p.Next, p.Size, p.Total})
}

// DecodePage reads the result of a call that lists tasks.
func (d jsonCodec) DecodePage(result []byte) (*a2a.TaskPage, error) {
	var in struct {
		Tasks         []object `json:"tasks"`
		NextPageToken string   `json:"nextPageToken"`
		PageSize      int      `json:"pageSize"`
		TotalSize     int      `json:"totalSize"`
	}
	result, err := d.json(pageBody, result)
	if err != nil {
		return nil, err
	}
	if err := unmarshal(result, &in); err != nil {
		return nil, err
	}
	task := func(_ int, o object) (*a2a.Task, error) { return o.task() }
	tasks, err := decodeEach("tasks", in.Tasks, task)
	if err != nil {
		return nil, err
	}
	return &a2a.TaskPage{
		Tasks: tasks,
		Next:  in.NextPageToken,
		Size:  in.PageSize,
		Total: in.TotalSize,
	}, nil
}
