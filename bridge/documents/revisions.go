package documents

import (
	"context"
	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"slices"
	"time"
)

// StatusInfo is a state that a task was in.
type StatusInfo struct {
	State a2a.State `json:"state"`
	Since time.Time `json:"since"`
}

// VersionInfo is a replaced artifact.
type VersionInfo struct {
	ID    string    `json:"artifact_id"`
	Name  string    `json:"name,omitempty"`
	Until time.Time `json:"until"`
	Text  string    `json:"text"`

	Files []VersionFile `json:"files,omitempty"` // in the order of the text's brackets
}

// VersionFile is a file of a replaced artifact.
type VersionFile struct {
	Filename  string `json:"filename,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Size      int    `json:"size,omitempty"`     // bytes, if it came as bytes
	URL       string `json:"url,omitempty"`      // where it can be had
	Gone      bool   `json:"not_kept,omitempty"` // there was no room for it
}

// past shows revisions, the latest first, within the budget.
func (r *renderer) past(p *ledger.Revisions) {
	if !p.Any() {
		return
	}
	for _, s := range p.States {
		if r.spend(perItem) {
			r.info.Statuses = append(r.info.Statuses, StatusInfo{s.State, time.UnixMilli(s.Since).UTC()})
		}
	}
	r.info.Dropped = p.Dropped
	for i, v := range slices.Backward(p.Artifacts) {
		if !r.spend(perItem) {
			r.cut = true
			return
		}
		text := sanitize.Text(v.Text())
		said := r.take(text)
		r.cut = r.cut || len(said) < len(text)
		r.info.Versions = append(r.info.Versions, VersionInfo{
			ID: sanitize.Label(v.Artifact.ID), Name: sanitize.Label(v.Artifact.Name), Until: time.UnixMilli(v.Until).UTC(), Text: said,
			Files: r.pastFiles(&v, p.Dropped+i+1),
		})
	}
}

// pastFiles shows the files of the nth replaced artifact within the budget.
func (r *renderer) pastFiles(v *ledger.ArtifactRevision, n int) (files []VersionFile) {
	for i, p := range v.Artifact.Parts {
		file := VersionFile{Filename: sanitize.Label(p.Filename), MediaType: sanitize.Label(p.MediaType)}
		switch c := p.Content.(type) {
		case a2a.Raw:
			if file.Size, file.Gone = v.Gone[i]; !file.Gone {
				file.Size = len(c)
				if r.link != nil {
					file.URL = r.link(place{Version: n, Number: i})
				}
			}
		case a2a.URL:
			file.URL = sanitize.Link(string(c))
		default:
			continue
		}
		if len(file.URL) > sanitize.MaxLink || !r.spend(perItem+cost(file.Filename+file.MediaType+file.URL)) {
			r.cut = true
			continue
		}
		files = append(files, file)
	}
	return files
}

// Past returns the revisions of a task of the caller, nil if there are none, or ErrNoTask.
func (sv *Service) Past(
	ctx context.Context, access directory.Access, handle string,
) (*ledger.Revisions, error) {
	e, err := sv.Runner.Current(ctx, access, handle)
	if err != nil {
		return nil, err
	}
	if !e.Revisions.Any() {
		return nil, nil
	}
	return e.Revisions, nil
}
