package client

import (
	"embed"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/oauth/internal/secret"
)

// Copies of vendors' documents. Some vendors refuse requests of some servers, and
// a client whose document cannot be read does not try another way to log in. A
// pinned document is used if the real one cannot be fetched and none is stored.
// "{id}" stands for a name that the vendor gives each connector.
//
//go:embed pinned/*.json
var pinned embed.FS

const pinnedName = "{id}"

// pinnedDocument returns the document that ships with the server for an ID, or nil. One of exactly
// this ID goes before one with a name in it: "codex" is no connector of ChatGPT.
func pinnedDocument(id string) (document []byte, err error) {
	files, err := pinned.ReadDir("pinned")
	if err != nil {
		return nil, err
	}

	for _, file := range files {
		b, err := pinned.ReadFile("pinned/" + file.Name())
		if err != nil {
			return nil, err
		}
		found, exact, err := matchPinned(b, id)
		if err != nil || exact {
			return found, err
		}
		if found != nil {
			document = found
		}
	}

	return document, nil
}

// matchPinned returns the pinned document in b if it is that of an ID, and whether it is of no other.
func matchPinned(b []byte, id string) (document []byte, exact bool, err error) {
	var pin struct {
		Seen     string         `json:"seen"` // when, for those who update it
		Document jsontext.Value `json:"document"`
	}
	if err := json.Unmarshal(b, &pin, json.RejectUnknownMembers(true)); err != nil {
		return nil, false, err
	}

	var m struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal(pin.Document, &m); err != nil {
		return nil, false, err
	}

	before, after, variable := strings.Cut(m.ID, pinnedName)
	if !variable && m.ID == id {
		return pin.Document, true, nil
	}
	if !variable {
		return nil, false, nil
	}

	name, ok := strings.CutPrefix(id, before)
	if ok {
		name, ok = strings.CutSuffix(name, after)
	}
	if !ok || name == "" || len(name) > 64 || !secret.IsBase64URL(name) {
		return nil, false, nil
	}

	return []byte(strings.ReplaceAll(string(pin.Document), pinnedName, name)), false, nil
}
