package audit

import (
	"cmp"
	"strings"
)

// The classes of the Open Cybersecurity Schema Framework (OCSF) 1.5.0 that events belong to. A
// sign-in is Authentication, a change of an account is Account Change, and everything else is API
// Activity, which has no closed set of operations.
const (
	ocsfVersion   = "1.5.0"
	accountChange = 3001
	signsIn       = 3002
	apiActivity   = 6003
)

// OCSF is an event as OCSF 1.5.0 has it, for JSON.
type OCSF struct {
	ActivityID   int            `json:"activity_id"`
	ActivityName string         `json:"activity_name"`
	CategoryUID  int            `json:"category_uid"`
	ClassUID     int            `json:"class_uid"`
	TypeUID      int            `json:"type_uid"`
	Time         int64          `json:"time"` // milliseconds since 1970
	SeverityID   int            `json:"severity_id"`
	StatusID     int            `json:"status_id"`
	StatusDetail string         `json:"status_detail,omitempty"`
	Message      string         `json:"message,omitempty"`
	Metadata     ocsfMetadata   `json:"metadata"`
	User         *ocsfUser      `json:"user,omitempty"` // signed in, or changed
	Actor        ocsfActor      `json:"actor"`          // who did it
	API          *ocsfAPI       `json:"api,omitempty"`  // of API Activity
	Resources    []ocsfResource `json:"resources,omitempty"`
	Source       *ocsfEndpoint  `json:"src_endpoint,omitempty"`
}

type (
	ocsfMetadata struct {
		UID       string      `json:"uid"`
		Version   string      `json:"version"`
		EventCode string      `json:"event_code"` // our kind
		Product   ocsfProduct `json:"product"`
	}
	ocsfProduct struct {
		Name   string `json:"name"`
		Vendor string `json:"vendor_name"`
	}
	ocsfUser struct {
		UID  string `json:"uid,omitempty"`
		Name string `json:"name,omitempty"`
	}
	ocsfActor struct {
		User *ocsfUser `json:"user,omitempty"`
	}
	ocsfAPI struct {
		Operation string `json:"operation"`
	}
	ocsfResource struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	ocsfEndpoint struct {
		IP string `json:"ip"`
	}
)

// activity is an activity of a class.
type activity struct {
	id   int
	name string
}

var other = activity{99, "Other"}

// accountActivities are those of Account Change; others of API Activity follow from the verb of the kind.
var accountActivities = map[Kind]activity{
	AccountAdded: {
		1,
		"Create",
	},
	AccountPassword: {3, "Password Change"},
	AccountDisabled: {5, "Disable"},
	AccountRemoved:  {6, "Delete"},
}

var verbs = map[string]activity{
	"added":      {1, "Create"},
	"registered": {1, "Create"},
	"issued":     {1, "Create"},
	"changed": {
		3,
		"Update",
	},
	"enabled":       {3, "Update"},
	"disabled":      {3, "Update"},
	"card_accepted": {3, "Update"},
	"rotated":       {3, "Update"},
	"canceled":      {3, "Update"},
	"removed":       {4, "Delete"},
	"revoked":       {4, "Delete"},
}

// OCSF returns the event as OCSF has it.
func (e Event) OCSF() OCSF {
	target, verb, _ := strings.Cut(string(e.Kind), ".")
	o := OCSF{
		Time: e.At.UnixMilli(), SeverityID: 1, StatusID: 1, Message: e.Detail,
		Metadata: ocsfMetadata{
			UID:       e.ID,
			Version:   ocsfVersion,
			EventCode: string(e.Kind),
			Product:   ocsfProduct{"Rialto", "Rialto"},
		},
	}
	if e.Outcome == Failed || e.Outcome == Denied {
		o.StatusID = 2
		o.StatusDetail = string(e.Outcome)
		o.SeverityID = 2
	}
	if e.Actor != "" || e.ActorID != "" {
		o.Actor.User = &ocsfUser{e.ActorID, e.Actor}
	}
	if e.Address != "" {
		o.Source = &ocsfEndpoint{e.Address}
	}

	var is activity
	switch {
	case e.Kind == SignIn:
		o.ClassUID = signsIn
		is = activity{1, "Logon"}
		o.User = &ocsfUser{e.ActorID, e.Actor}
	case target == "account":
		o.ClassUID = accountChange
		is = accountActivities[e.Kind]
		o.User = &ocsfUser{Name: e.Target}
	default:
		o.ClassUID = apiActivity
		is = verbs[verb]
		o.API = &ocsfAPI{string(e.Kind)}
		if e.Target != "" {
			o.Resources = []ocsfResource{{target, e.Target}}
		}
	}

	if e.Kind == Reuse {
		o.SeverityID = 4 // a refresh token was stolen, or its answer lost
	}

	is = cmp.Or(is, other)
	o.ActivityID = is.id
	o.ActivityName = is.name
	o.CategoryUID = o.ClassUID / 1000
	o.TypeUID = o.ClassUID*100 + is.id
	return o
}
