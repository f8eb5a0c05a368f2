package config

import (
	"strings"
	"testing"
)

func TestLimitsThatNothingFitsAreRefused(t *testing.T) {
	c := Demo(t.TempDir())
	c.Limits.RatePerUser = 0
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	c.Limits.TaskSize = 0
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "limits.task_size") {
		t.Errorf("got %v, want that limits.task_size is too small", err)
	}
}
