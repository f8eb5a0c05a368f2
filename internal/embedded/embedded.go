// Package embedded decodes the YAML files that are compiled into the program.
package embedded

import (
	"bytes"
	"sync"

	"go.yaml.in/yaml/v3"
)

// YAML returns a function that decodes a file, once. It panics if the file has a member that T lacks, or
// a value of another type: the file is ours.
func YAML[T any](file []byte) func() T {
	return sync.OnceValue(func() (v T) {
		d := yaml.NewDecoder(bytes.NewReader(file))
		d.KnownFields(true)
		if err := d.Decode(&v); err != nil {
			panic(err)
		}
		return v
	})
}
