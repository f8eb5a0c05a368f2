package store

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// text is a record.
type text []byte

func (x text) appendTo(b []byte) []byte { return append(b, x...) }

func asRecords(all [][]byte) (records []record) {
	for _, b := range all {
		records = append(records, text(b))
	}
	return records
}

// writeJournal makes a journal of two generations with three records each, and
// returns the files and the records.
func writeJournal(t *testing.T) (path string, records [2][][]byte) {
	path = filepath.Join(t.TempDir(), "rialto.db")
	j, err := createJournal(path, [journalID]byte{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	for g := range records {
		for i := range 3 {
			records[g] = append(records[g], fmt.Appendf(nil, "record %d of generation %d", i, g))
		}
		if n, err := j.write(asRecords(records[g][:2])); n != 2 || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
		if n, err := j.write(asRecords(records[g][2:])); n != 1 || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
		j.next()
	}
	return path, records
}

func TestAJournalIsReadAsItWasWritten(t *testing.T) {
	path, records := writeJournal(t)
	found, err := readJournal(path)
	if err != nil || len(found) != 2 {
		t.Fatalf("got %d generations, %v, want 2", len(found), err)
	}
	for i, g := range found {
		if g.number != uint64(i+1) || g.id != [journalID]byte{1, 2, 3} || !reflect.DeepEqual(g.records, records[i]) {
			t.Errorf("got generation %d of %x: %q, want %d: %q", g.number, g.id, g.records, i+1, records[i])
		}
	}
}

// TestAJournalThatWasCutHoldsWhatWasThere cuts a file after each of its bytes, and
// breaks each of them: there are the records before, and never one that was not written.
func TestAJournalThatWasCutHoldsWhatWasThere(t *testing.T) {
	path, records := writeJournal(t)
	name := journalPaths(path)[1]
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	end := journalHeader
	ends := []int{end}
	for _, r := range records[0] {
		end += recordHeader + len(r)
		ends = append(ends, end)
	}
	for at := range end {
		whole := -1 // records before at; -1: not even the header
		for i, e := range ends {
			if at >= e {
				whole = i
			}
		}
		cut := append(bytes.Clone(text[:at]), make([]byte, len(text)-at)...)
		broken := bytes.Clone(text)
		broken[at] ^= 0x40
		for how, text := range map[string][]byte{"cut": cut, "broken": broken, "ended": text[:at]} {
			g, ok := parseGeneration(text)
			if ok != (whole >= 0) || !slices.EqualFunc(g.records, records[0][:max(whole, 0)], bytes.Equal) {
				t.Errorf("%s at %d: got %v, %q, want the first %d of %q", how, at, ok, g.records, whole, records[0])
			}
		}
	}
}

// TestALaterGenerationHidesTheOneBefore writes less into a file than it held.
func TestALaterGenerationHidesTheOneBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rialto.db")
	j, err := createJournal(path, [journalID]byte{9})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	for g := range 3 {
		for range 3 - g { // all records are of one length, so that what is left of the first stands where another would
			if _, err := j.write([]record{text(fmt.Sprint("generation ", j.gen))}); err != nil {
				t.Fatal(err)
			}
		}
		j.next()
	}
	found, err := readJournal(path)
	if err != nil || len(found) != 2 || found[1].number != 3 || len(found[1].records) != 1 || len(found[0].records) != 2 {
		t.Errorf("got %+v, %v, want two records of generation 2 and one of 3", found, err)
	}
}

func TestAJournalHasRoomForSoMuch(t *testing.T) {
	j, err := createJournal(filepath.Join(t.TempDir(), "rialto.db"), [journalID]byte{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	large := text(make([]byte, maxRecord))
	written := 0
	for range 100 {
		n, err := j.write([]record{large, large})
		if err != nil {
			t.Fatal(err)
		}
		written += n
	}
	if want := (journalFile - journalHeader) / (recordHeader + maxRecord); written != want {
		t.Errorf("got %d records of %d bytes, want %d", written, maxRecord, want)
	}
	if info, err := j.files[1].Stat(); err != nil || info.Size() != journalFile {
		t.Errorf("the file has grown: %d bytes, %v", info.Size(), err)
	}
}

func TestARowCrossesTheJournal(t *testing.T) {
	for _, r := range []*taskRow{
		{},
		{handle: "h", owner: "o", contextID: "ü\x00\xff", task: sql.NullString{String: `{"a":1}`, Valid: true}, past: sql.NullString{Valid: true}, created: -1, updated: 1 << 62, contextName: "n", asked: "What?"},
	} {
		got, err := decodeRow(r.appendTo(nil))
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("got %+v, %v, want %+v", got, err, r)
		}
		earlier := *r // what a version wrote that knew no more columns
		earlier.asked = ""
		first := len(earlier.appendTo(nil)) - 1
		if got, err := decodeRow(r.appendTo(nil)[:first]); err != nil || !reflect.DeepEqual(got, &earlier) {
			t.Errorf("of an earlier version: got %+v, %v, want %+v", got, err, &earlier)
		}
		for cut := range len(r.appendTo(nil)) {
			if _, err := decodeRow(r.appendTo(nil)[:cut]); err == nil && cut != first {
				t.Errorf("cut after %d of %d bytes: got no error", cut, len(r.appendTo(nil)))
			}
		}
	}
}

func FuzzDecodeRow(f *testing.F) {
	f.Add((&taskRow{handle: "h", failure: sql.NullString{Valid: true}}).appendTo(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRow(b)
		if err != nil {
			return
		}
		again, err := decodeRow(r.appendTo(nil))
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("got %+v, %v, want %+v", again, err, r)
		}
	})
}

// TestARecordDoesNotSendAllOfItsFileToTheDisk reads what Linux says this process
// has to write: many times a record, if a file is kept in few large pieces.
func TestARecordDoesNotSendAllOfItsFileToTheDisk(t *testing.T) {
	j, err := createJournal(filepath.Join(t.TempDir(), "rialto.db"), [journalID]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	const writes = 50
	before := toDisk(t)
	for range writes {
		if n, err := j.write([]record{text("a task")}); n != 1 || err != nil {
			t.Fatalf("write: %d, %v", n, err)
		}
	}
	if each := (toDisk(t) - before) / writes; each > 4*journalPage {
		t.Errorf("a record of a few bytes has %d bytes written", each)
	}
}

// toDisk returns how many bytes this process has had written.
func toDisk(t *testing.T) (bytes int64) {
	status, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skipf("only Linux tells: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if number, ok := strings.CutPrefix(line, "write_bytes: "); ok {
			if bytes, err = strconv.ParseInt(strings.TrimSpace(number), 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	return bytes
}
