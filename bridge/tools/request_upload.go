package tools

import (
	"context"
	"encoding/json"
	"strings"

	"rialto/bridge/uploads"
	"rialto/mcp"
)

// uploadArgs are the arguments of request_upload.
type uploadArgs struct {
	Files []uploads.File `json:"files"`
}

// uploadLinks is the result of request_upload.
type uploadLinks struct {
	Uploads []uploads.Link `json:"uploads"`
}

func requestUpload(t *Tools) mcp.Tool {
	return mcp.Tool{
		Name:  "request_upload",
		Title: "Get a link to send a file to",
		Description: "Get one-time links for files that an agent needs. With a shell, run the curl line once. If that fails, " +
			"or without a shell, show the person the page_url. Then call send_task with files: [{\"upload\": ID}], even before " +
			"the file has come. Never type, convert or summarise a file instead.",
		InputSchema:  requestUploadInput,
		OutputSchema: requestUploadOutput,
		Call: handler(t, func(ctx context.Context, _ *mcp.Call, args *uploadArgs) (*mcp.Result, error) {
			links, err := t.Runner.Uploads.Request(ctx, t.Directory.Access(ctx), args.Files)
			if err != nil {
				return nil, err
			}
			var text strings.Builder
			for _, l := range links {
				text.WriteString(l.Name + ": upload " + l.ID + "\n" + l.Curl + "\nor, for the person: " + l.PageURL + "\n")
			}
			text.WriteString("Try curl once; if it fails, show the person the link. Then send_task with the ids in files.")
			return &mcp.Result{
				Content:    []mcp.Content{mcp.Text(text.String())},
				Structured: uploadLinks{links},
			}, nil
		}),
	}
}

var requestUploadInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"files": {
			"type": "array",
			"minItems": 1,
			"maxItems": 20,
			"items": {
				"type": "object",
				"properties": {
					"name": {"type": "string", "minLength": 1, "maxLength": 1000},
					"mime_type": {"type": "string"},
					"size": {"type": "integer", "minimum": 0},
					"sha256": {"type": "string", "description": "In hex, if you know it."}
				},
				"required": ["name", "mime_type"],
				"additionalProperties": false
			}
		}
	},
	"required": ["files"],
	"additionalProperties": false
}`)

var requestUploadOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"uploads": {
			"type": "array",
			"items": {"type": "object", "required": ["id", "url", "page_url", "curl", "expires_at"]}
		}
	},
	"required": ["uploads"]
}`)
