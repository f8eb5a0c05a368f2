package uploads

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"

	"github.com/google/uuid"

	"rialto/internal/quota"
)

// Receive takes the file of a link: at most one, whatever happens to the connection. A file that is
// not taken leaves nothing, and its link can be used again. length is that of body, -1 if it is not
// known. The bytes go to the store in chunks.
func (s *Service) Receive(
	ctx context.Context, secret string, body io.Reader, length int64,
) (*Upload, error) {
	u, err := s.At(ctx, secret)
	if err != nil {
		return nil, err
	}
	return u, s.take(ctx, u, body, length)
}

// take takes the bytes of u, unless others come for it, or too many in all.
func (s *Service) take(ctx context.Context, u *Upload, body io.Reader, length int64) error {
	if length > u.Size {
		return tooLarge(u)
	}
	done, refused := s.openByLink.Acquire(u.ID, 1, quota.Unlimited)
	if refused != nil {
		return refuse(ErrUsed, "A file is being sent to this link.")
	}
	defer done()
	done, refused = s.openByOwner.Acquire(u.Owner, maxSending, maxReceiving)
	if refused != nil {
		return refuse(ErrAway, "Too many files are being sent right now. Try again in a minute.")
	}
	defer done()

	in := &incoming{
		s:       s,
		u:       u,
		content: uuid.NewString(),
		sum:     sha256.New(),
	}
	err := in.read(ctx, body)
	if err == nil {
		err = in.check()
	}
	if err == nil {
		err = s.scan(ctx, u, in.content, in.size)
	}
	if err == nil {
		err = in.complete(ctx)
	}
	if err != nil {
		in.drop(ctx)
		return err
	}

	select {
	case s.arrived <- struct{}{}:
	default:
	}
	return nil
}

// incoming is a file that comes.
type incoming struct {
	s       *Service
	u       *Upload
	content string
	size    int64
	sum     hash.Hash
	head    []byte // the first bytes, which tell the type
}

// read writes body into the store.
func (in *incoming) read(ctx context.Context, body io.Reader) error {
	buffer := make([]byte, chunkSize)
	for number := 0; ; number++ {
		n, err := io.ReadFull(body, buffer)
		chunk := buffer[:n]
		in.size += int64(n)
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case err != nil && !ended:
			return errors.Join(refuse(ErrIncomplete, "The file did not come whole. Send it again."), err)
		case in.size > in.u.Size:
			return tooLarge(in.u)
		}

		if number == 0 {
			in.head = append(in.head, chunk[:min(n, 512)]...)
		}
		in.sum.Write(chunk)
		if n > 0 {
			err := in.s.Store.AddChunk(ctx, in.content, number, chunk, in.s.Now())
			if err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
	}
}

// check compares what came with what was said of it.
func (in *incoming) check() error {
	digest := fmt.Sprintf("%x", in.sum.Sum(nil))
	if in.u.SHA256 != "" && in.u.SHA256 != digest {
		return refuse(
			ErrContent, "The file that came is not the one that was asked for: its SHA-256 is %s, not %s.",
			digest, in.u.SHA256,
		)
	}
	if in.size == 0 {
		return refuse(ErrContent, "The file is empty.")
	}

	in.u.SHA256 = digest
	is, err := checkType(in.u.MediaType, http.DetectContentType(in.head))
	in.u.MediaType = is
	return err
}

func (in *incoming) complete(ctx context.Context) error {
	in.u.Content = in.content
	in.u.Size = in.size
	now := in.s.Now()
	in.u.Expires = now.Add(KeptFor)
	err := in.s.Store.CompleteUpload(ctx, in.u, now)
	if errors.Is(err, ErrUsed) {
		return refuse(ErrUsed, "A file was sent to this link already. Ask for a new link.")
	}
	return err
}

// drop deletes what came. If it fails, the chunks are deleted an hour later.
func (in *incoming) drop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropTime)
	defer cancel()
	if err := in.s.Store.DropContent(ctx, in.content); err != nil {
		in.s.Log.WarnContext(ctx, "deleting a file that was not taken", "err", err)
	}
}

func tooLarge(u *Upload) error {
	return refuse(ErrTooLarge, "The file is too large: at most %d bytes are taken here.", u.Size)
}
