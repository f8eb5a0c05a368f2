package endpoint

import "testing"

// FuzzForm checks that what passes is well formed, each parameter once.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"a=1&b=2", "a=1&a=2", "a=&a=", "a=%00", "a;b", "%zz", "resource=a&resource=b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := ParseForm(raw, "resource")
		if err != nil {
			return
		}
		for name, values := range got {
			if len(values) > 1 && name != "resource" {
				t.Errorf("%q: %s is there %d times", raw, name, len(values))
			}
			for _, v := range values {
				if !IsText(v) || v == "" {
					t.Errorf("%q: %s is %q", raw, name, v)
				}
			}
		}
	})
}
