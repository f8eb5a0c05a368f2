package tableexpert

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// FuzzCSV holds the reader to this: any bytes are a table with as many rows
// as the reader told, or an error that names the file.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "a,b\n1,2\n", "a;b\n1,5;x\n", "\ufeffa\tb\r\n1\t\"x\ny\"\r\n", "order,,1\n1,2,3\n", "a\n\"", "id\n1\n1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		ctx := context.Background()
		file, err := newCSV(fstest.MapFS{"t.csv": {Data: content}}, "t.csv")
		if err == nil {
			err = loadAlone(ctx, t, file)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "t.csv: ") {
			t.Errorf("%q: got %v, which does not name the file", content, err)
		}
	})
}

func loadAlone(ctx context.Context, t *testing.T, file *csvFile) error {
	b, err := newBuilder(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	if err := b.load(ctx, "t", file, map[string]string{}); err != nil {
		return err
	}
	told := int64(0)
	if err := file.rows(func([]string) error { told++; return nil }); err != nil {
		t.Fatalf("read once and not again: %v", err)
	}
	image, err := b.freeze(ctx)
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&sqlbox.Box{Image: image, MaxWidth: sqliteColumns}).QueryTrusted(ctx, 1, "SELECT count(*) FROM t")
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Rows[0][0]; got != told {
		t.Errorf("got %v rows, want %d", got, told)
	}
	return nil
}

func FuzzSniff(f *testing.F) {
	for _, s := range []string{"", "a,b;c\n1,2;3\n", "a\tb\n", "\"a;b\",c\n", "|||\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		if got := detectDelimiter(head); !strings.ContainsRune(",;\t|", got) {
			t.Errorf("got delimiter %q", got)
		}
	})
}

func FuzzSafeName(f *testing.F) {
	for _, s := range []string{"", "Sum (EUR)", "order", "2024", "sqlite_x", "ГОД", "a\x00b", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := safeName(s, "column_1")
		if got == "" || !utf8.ValidString(got) || strings.ContainsAny(got, " \"'`;()[]\x00-") || sqlbox.Reserved(got) {
			t.Errorf("%q: got name %q", s, got)
		}
	})
}
