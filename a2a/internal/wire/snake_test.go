package wire

import (
	"testing"

	"rialto/a2a"
)

// TestRequestsMayBeInSnakeCase: parsers of ProtoJSON accept both forms of a name.
func TestRequestsMayBeInSnakeCase(t *testing.T) {
	d, ok := ByGeneration(a2a.V10)
	if !ok {
		t.Fatal("1.0 is not spoken")
	}
	req, err := d.DecodeSend([]byte(`{"message":{"message_id":"m_a","context_id":"c","task_id":"t","role":"ROLE_USER","parts":[{"data":{"my_key":1},"media_type":"application/json"}],"metadata":{"use_case":"x_y"}},
		"configuration":{"history_length":3,"return_immediately":true,"accepted_output_modes":["text/plain"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	m := req.Message
	if m.ID != "m_a" || m.ContextID != "c" || m.TaskID != "t" || m.Parts[0].MediaType != "application/json" || string(m.Parts[0].Content.(a2a.Data)) != `{"my_key":1}` ||
		m.Metadata["use_case"] != "x_y" || *req.HistoryLength != 3 || !req.ReturnImmediately || len(req.AcceptedOutputModes) != 1 {
		t.Errorf("got %+v, %+v", req, m)
	}
	f, err := d.DecodeList([]byte(`{"context_id":"c","page_size":2,"include_artifacts":true}`))
	if err != nil || f.ContextID != "c" || f.PageSize != 2 || !f.Artifacts {
		t.Errorf("got %+v, %v", f, err)
	}
	q, err := d.DecodeQuery([]byte(`{"id":"a_b","history_length":1}`))
	if err != nil || q.ID != "a_b" || *q.HistoryLength != 1 {
		t.Errorf("got %+v, %v", q, err)
	}
}
