package tableexpert

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"

	"rialto/internal/embedded"
)

// insuranceFiles are the built-in tables, which insurance_data_test.go makes, their topics, a note
// on each table and column, and other words for them and their values.
//
//go:embed insurance
var insuranceFiles embed.FS

func insuranceFile(name string) []byte {
	b, err := insuranceFiles.ReadFile("insurance/" + name)
	if err != nil {
		panic("tableexpert: " + err.Error())
	}
	return b
}

// insuranceYAML decodes a file.
func insuranceYAML[T any](name string) T { return embedded.YAML[T](insuranceFile(name))() }

// insurance returns the built-in tables.
func insurance() (*source, error) {
	tables, err := gzip.NewReader(bytes.NewReader(insuranceFile("tables.sqlite.gz")))
	if err != nil {
		return nil, err
	}
	image, err := io.ReadAll(tables)
	if err != nil {
		return nil, err
	}

	return &source{
		image:    image,
		notes:    insuranceYAML[map[string]string]("notes.yaml"),
		curation: insuranceYAML[*curation](topicsFile),
		synonyms: insuranceYAML[map[string]synonyms]("words.yaml"),
	}, nil
}
