package audit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// anchor is an end of the chain, as it is kept elsewhere.
type anchor struct {
	At time.Time `json:"time"`
	ChainEnd
}

// anchorInterval is how often the end of the chain is kept elsewhere.
const anchorInterval = time.Minute

// Anchor returns a job that keeps the end of the chain when there are new events, until its context
// ends: in a file, one JSON object to a line, or by a POST to a URL.
func (l *Log) Anchor(file, url string) func(context.Context) {
	client := &http.Client{Timeout: 10 * time.Second}
	return func(ctx context.Context) {
		tick := time.NewTicker(anchorInterval)
		defer tick.Stop()
		var kept ChainEnd
		for ctx.Err() == nil {
			select {
			case <-ctx.Done(): // with the events of the last minute
			case <-tick.C:
			}
			end, err := l.anchor(context.WithoutCancel(ctx), kept, file, url, client)
			if err != nil {
				l.Log.ErrorContext(ctx, "keeping the end of the audit log elsewhere", "err", err)
				continue
			}
			kept = end
		}
	}
}

// anchor keeps the end of the chain, unless it is the one that was kept last, and returns it.
func (l *Log) anchor(
	ctx context.Context, kept ChainEnd, file, url string, client *http.Client,
) (end ChainEnd, err error) {
	ctx, cancel := context.WithTimeout(ctx, anchorInterval)
	defer cancel()
	end, err = l.Store.EndOfEvents(ctx)
	if err != nil || end == kept {
		return end, err
	}
	text, err := json.Marshal(anchor{time.Now().UTC(), end})
	if err != nil {
		return end, err
	}
	if file != "" {
		return end, appendLine(file, append(text, '\n'))
	}
	return end, postAnchor(ctx, client, url, text)
}

func postAnchor(ctx context.Context, client *http.Client, url string, text []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the answer is %s", resp.Status)
	}
	return nil
}

// ParseAnchor reads an end that is written SEQ:HASH.
func ParseAnchor(text string) (end ChainEnd, err error) {
	seq, hash, _ := strings.Cut(text, ":")
	end.Hash = hash
	end.Seq, err = strconv.ParseInt(seq, 10, 64)
	if err != nil || hash == "" {
		return end, fmt.Errorf("%q is not SEQ:HASH, such as 8812:hmac:5f0c…", text)
	}
	return end, nil
}

// ReadAnchors reads the ends that are in a file. It returns none if there is no file, and skips lines
// that a crash has left incomplete.
func ReadAnchors(file string) (ends []ChainEnd, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var one anchor
		err := json.Unmarshal(lines.Bytes(), &one)
		if isCut(err, lines.Bytes()) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		ends = append(ends, one.ChainEnd)
	}
	return ends, lines.Err()
}

// isCut reports whether err says that a line of JSON ends too early.
func isCut(err error, line []byte) bool {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	return ok && syntax.Offset == int64(len(line)) && syntax.Error() == "unexpected end of JSON input"
}
