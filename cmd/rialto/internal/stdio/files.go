package stdio

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"rialto/internal/jsonrpc"
)

// A call may name files below the directory p.Files by their paths, where a tool takes uploads: the
// proxy sends them, and the call goes on with their uploads. os.Root refuses a path that leads out
// of the directory, also by a symbolic link.

// maxFile bounds a file that is sent.
const maxFile = 100 << 20

// object returns the object at a path of members; nil if there is none.
func object(v any, path ...string) map[string]any {
	for _, name := range path {
		in, _ := v.(map[string]any)
		v = in[name]
	}
	o, _ := v.(map[string]any)
	return o
}

// decode reads an object, with its numbers as they are written; nil if it is none.
func decode(raw []byte) (o map[string]any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&o) // else it is nil
	return o
}

// offer returns a tool of a list. One that takes uploads in "files" says that it takes paths as
// well.
func (p *Proxy) offer(raw json.RawMessage) json.RawMessage {
	if p.Files == nil {
		return raw
	}
	tool := decode(raw)
	items := object(tool, "inputSchema", "properties", "files", "items")
	members := object(items, "properties")
	if members["upload"] == nil {
		return raw
	}

	members["path"] = map[string]string{
		"type": "string",
		"description": "Path of a file in " + p.Files.Name() +
			" on the computer of the user. Give this instead of upload.",
	}
	delete(items, "required")
	name, _ := tool["name"].(string)
	p.offered.Store(name, true)
	changed, err := json.Marshal(tool)
	if err != nil {
		return raw
	}
	return changed
}

// localFile is a file that a call names.
type localFile struct {
	Name string `json:"name"`
	Type string `json:"mime_type"`
	Size int64  `json:"size"`

	path  string         // below the directory
	entry map[string]any // of the call
}

// find returns the file at a path.
func find(root *os.Root, path string) (*localFile, error) {
	if filepath.IsAbs(path) {
		path, _ = filepath.Rel(root.Name(), path) // "" if that leads to another volume
	}
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no file in %s: %w", root.Name(), err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	}
	return &localFile{
		Name: filepath.Base(path),
		Type: cmp.Or(mime.TypeByExtension(filepath.Ext(path)), "application/octet-stream"),
		Size: info.Size(),
		path: path,
	}, nil
}

// upload sends the files that a call names by their paths, and returns the call with their uploads. The
// calls of other tools stay as they are: their paths may be of files elsewhere.
func (p *Proxy) upload(ctx context.Context, c *call) (*message, error) {
	if p.Files == nil || c.method != "tools/call" {
		return c.message, nil
	}

	m := decode(c.raw)
	params := object(m, "params")
	name, _ := params["name"].(string)
	if _, ok := p.offered.Load(name); !ok {
		return c.message, nil
	}

	entries, _ := object(params, "arguments")["files"].([]any)
	var files []*localFile
	for i, entry := range entries {
		path, ok := object(entry)["path"].(string)
		if !ok {
			continue
		}
		file, err := find(p.Files, path)
		if err != nil {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "files[%d]: %v", i, err)
		}
		file.entry = object(entry)
		files = append(files, file)
	}
	if len(files) == 0 {
		return c.message, nil
	}

	if err := p.sendFiles(ctx, c, files); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	changed, _ := parse(raw) // it is an object
	return changed, nil
}

// sendFiles sends files, and writes their uploads into the call that names them.
func (p *Proxy) sendFiles(ctx context.Context, c *call, files []*localFile) error {
	links, err := p.links(ctx, c, files)
	if err != nil {
		return err
	}
	for i, file := range files {
		if err := p.put(ctx, file, links[i]); err != nil {
			return jsonrpc.Errorf(jsonrpc.CodeInternal, "sending %s: %v", file.path, err)
		}
		file.entry["upload"] = links[i].ID
		delete(file.entry, "path")
	}
	return nil
}

// uploadLink is where the server takes a file.
type uploadLink struct {
	ID      string
	URL     string
	Headers map[string]string
}

// links asks the server for a link for each file.
func (p *Proxy) links(ctx context.Context, c *call, files []*localFile) ([]uploadLink, error) {
	ctx, cancel := context.WithTimeout(ctx, firstTimeout)
	defer cancel()
	r, err := p.exchange(ctx, c, p.own(c, "tools/call", map[string]any{
		"name":      "request_upload",
		"arguments": map[string]any{"files": files},
	}))
	if err != nil {
		return nil, err
	}
	answer, err := r.answer()
	if err != nil {
		return nil, err
	}

	var result struct {
		Structured struct {
			Uploads []uploadLink
		} `json:"structuredContent"`
		Content []struct{ Text string }
	}
	_ = json.Unmarshal(answer.result, &result) // else it has no links
	links := result.Structured.Uploads
	if len(links) == len(files) {
		return links, nil
	}
	why := string(answer.err)
	for _, said := range result.Content {
		why += said.Text
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "the server takes no such files: %s", why)
}

// put sends a file. It goes with no credentials to the server as the proxy reaches it, or to another
// one with TLS.
func (p *Proxy) put(ctx context.Context, file *localFile, to uploadLink) error {
	link, err := url.Parse(to.URL)
	own, _ := url.Parse(p.URL)
	if err != nil {
		return err
	}
	isOwn := link.Scheme == own.Scheme && link.Host == own.Host
	if link.Scheme != "https" && !isOwn {
		return fmt.Errorf("the server gives an address that is not its own: %s", to.URL)
	}

	content, err := p.Files.Open(file.path)
	if err != nil {
		return err
	}
	defer content.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, to.URL, content)
	if err != nil {
		return err
	}
	r.ContentLength = file.Size
	for name, value := range to.Headers {
		r.Header.Set(name, value)
	}

	resp, err := putting.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return fmt.Errorf("%s: %s", resp.Status, said)
	}
	return nil
}

// putting follows no redirect.
var putting = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}
