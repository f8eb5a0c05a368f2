package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestTurnsAreSharedBetweenCallers has one caller fill the queue before others come.
func TestTurnsAreSharedBetweenCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		var order []string
		results := map[string]int{}
		first, err := turns.Enter(t.Context(), "greedy", 1, 4)
		if err != nil {
			t.Fatal(err)
		}
		come := func(ctx context.Context, caller string) {
			go func() {
				leave, err := turns.Enter(ctx, caller, 1, 4)
				switch {
				case errors.Is(err, ErrBusy):
					results[caller+" busy"]++
				case err != nil:
					results[caller+" gone"]++
				default:
					order = append(order, caller)
					leave()
				}
			}()
			synctest.Wait()
		}
		for range 6 {
			come(t.Context(), "greedy") // four wait, two are refused
		}
		hurried, cancel := context.WithCancel(t.Context())
		come(hurried, "hurried") // takes a place of the greedy one
		come(t.Context(), "patient")
		come(t.Context(), "late")
		come(t.Context(), "fifth") // each has one place now: no caller loses it
		cancel()
		synctest.Wait()
		first()
		synctest.Wait()
		if len(order) != 3 || order[0] != "greedy" || order[1] != "patient" || order[2] != "late" {
			t.Errorf("got turns in the order %q, want greedy, patient, late", order)
		}
		if results["greedy busy"] != 5 || results["hurried gone"] != 1 || results["fifth busy"] != 1 || len(results) != 3 {
			t.Errorf("got %v", results)
		}
		if turns.running != 0 || turns.waiting != 0 || len(turns.order) != 0 || len(turns.queues) != 0 {
			t.Errorf("got %+v left", &turns)
		}
	})
}
