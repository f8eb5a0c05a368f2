package audit

import (
	"encoding/json"
	"testing"
	"time"
)

// TestEventsInOCSF checks the class, the activity and who did what to whom.
func TestEventsInOCSF(t *testing.T) {
	at := time.UnixMilli(1_795_338_000_000)
	for name, tc := range map[string]struct {
		e    Event
		want string
	}{
		"a failed sign-in": {
			Event{ID: "1", At: at, Kind: SignIn, Outcome: Failed, Actor: "ana", Address: "192.0.2.1"},
			`{"activity_id":1,"activity_name":"Logon","category_uid":3,"class_uid":3002,"type_uid":300201,"time":1795338000000,"severity_id":2,"status_id":2,"status_detail":"failed","metadata":{"uid":"1","version":"1.5.0","event_code":"sign_in","product":{"name":"Rialto","vendor_name":"Rialto"}},"user":{"name":"ana"},"actor":{"user":{"name":"ana"}},"src_endpoint":{"ip":"192.0.2.1"}}`,
		},
		"a removed account": {
			Event{ID: "2", At: at, Kind: AccountRemoved, Outcome: OK, ActorID: "u1", Actor: "root", Target: "ana"},
			`{"activity_id":6,"activity_name":"Delete","category_uid":3,"class_uid":3001,"type_uid":300106,"time":1795338000000,"severity_id":1,"status_id":1,"metadata":{"uid":"2","version":"1.5.0","event_code":"account.removed","product":{"name":"Rialto","vendor_name":"Rialto"}},"user":{"name":"ana"},"actor":{"user":{"uid":"u1","name":"root"}}}`,
		},
		"a reused token": {
			Event{ID: "3", At: at, Kind: Reuse, Target: "g1", Detail: "the grant was ended"},
			`{"activity_id":99,"activity_name":"Other","category_uid":6,"class_uid":6003,"type_uid":600399,"time":1795338000000,"severity_id":4,"status_id":1,"message":"the grant was ended","metadata":{"uid":"3","version":"1.5.0","event_code":"token.reused","product":{"name":"Rialto","vendor_name":"Rialto"}},"actor":{},"api":{"operation":"token.reused"},"resources":[{"type":"token","name":"g1"}]}`,
		},
	} {
		if got, err := json.Marshal(tc.e.OCSF()); err != nil || string(got) != tc.want {
			t.Errorf("%s: got %s, %v\nwant %s", name, got, err, tc.want)
		}
	}
	for _, k := range Kinds {
		if got := (Event{Kind: k}).OCSF(); got.ActivityID == 0 || got.TypeUID == 0 {
			t.Errorf("%s: got %+v, want an activity", k, got)
		}
	}
}
