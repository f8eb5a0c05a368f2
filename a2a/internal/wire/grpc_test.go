package wire

import (
	"encoding/json"
	"testing"
)

// TestResourceNames reads the names that stand for tasks and configs in 0.3 over
// gRPC.
func TestResourceNames(t *testing.T) {
	const config, list = `{"name":"tasks/t/pushNotificationConfigs/c"}`, `{"parent":"tasks/t"}`
	for params, want := range map[string]PushID{config: {"t", "c"}, list: {"t", ""}} {
		if got, err := v03grpc.DecodePushID(json.RawMessage(params), PushID{}); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", params, got, err, want)
		}
	}
	for _, set := range []string{
		`{"parent":"tasks/t","configId":"c","config":{"pushNotificationConfig":{"id":"c","url":"https://hook.example"}}}`,
		`{"parent":"tasks/t","config":{"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"url":"https://hook.example"}}}`,
	} {
		got, err := v03grpc.DecodePush(json.RawMessage(set), PushID{})
		if err != nil || got.TaskID != "t" || got.ID != "c" || got.URL != "https://hook.example" {
			t.Errorf("%s: got %+v, %v", set, got, err)
		}
	}
	if q, err := v03grpc.DecodeQuery(json.RawMessage(`{"name":"tasks/t"}`)); err != nil || q.ID != "t" {
		t.Errorf("got %+v, %v, want the task t", q, err)
	}
	if _, op, ok := GRPCRoute("/a2a/x/a2a.v1.A2AService/TaskSubscription"); !ok || op != Subscribe {
		t.Errorf("got %v, %v, want a subscription", op, ok)
	}
	if _, _, ok := GRPCRoute("/other.a2a.v1.A2AService/GetTask"); ok {
		t.Error("the service of another was taken for ours")
	}
}
