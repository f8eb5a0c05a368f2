package uploads

import (
	"context"
	"errors"
	"io"
	"strings"

	"rialto/internal/sealed"
)

// FilePath is where agents fetch files from; a signed link follows.
const FilePath = Path + "file/"

const filePurpose = "rialto uploaded file"

// fileLink is the content of such a link.
type fileLink struct {
	ID    string `json:"i"`
	Until int64  `json:"u"` // seconds since 1970
}

// fileURL returns a link to a file for KeptFor.
func (s *Service) fileURL(u *Upload) string {
	link := fileLink{u.ID, s.Now().Add(KeptFor).Unix()}
	text, err := sealed.SealJSON(s.Key, filePurpose, link)
	if err != nil {
		panic(err) // the key has another length
	}
	return s.URL + FilePath + text
}

// Open returns the file of a link of an agent, or ErrNone. It is read in chunks.
func (s *Service) Open(ctx context.Context, link string) (*Upload, io.ReadSeeker, error) {
	var l fileLink
	err := sealed.OpenJSON(s.Key, filePurpose, strings.TrimPrefix(link, FilePath), &l)
	if err != nil || s.Now().Unix() >= l.Until {
		return nil, nil, ErrNone
	}

	u, err := s.Store.Upload(ctx, l.ID)
	if err != nil {
		return nil, nil, err
	}
	if u.Content == "" || u.Task == "" {
		return nil, nil, ErrNone
	}
	return u, s.reader(ctx, u), nil
}

func (s *Service) reader(ctx context.Context, u *Upload) io.ReadSeeker {
	return &reader{
		ctx:     ctx,
		store:   s.Store,
		content: u.Content,
		size:    u.Size,
	}
}

// reader reads a content from the store, a chunk at a time.
type reader struct {
	ctx     context.Context
	store   Store
	content string
	size    int64
	at      int64

	chunk  []byte // the one that was read last
	number int    // its number, from 1; 0 before the first
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	number := int(r.at / chunkSize)
	if r.number != number+1 {
		chunk, err := r.store.Chunk(r.ctx, r.content, number)
		if err != nil {
			return 0, err
		}
		r.chunk = chunk
		r.number = number + 1
	}

	from := int(r.at % chunkSize)
	if from >= len(r.chunk) {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(p, r.chunk[from:])
	r.at += int64(n)
	return n, nil
}

// Seek implements io.Seeker.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("a place before the beginning")
	}
	r.at = offset
	return offset, nil
}
