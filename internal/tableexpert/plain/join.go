package plain

import "slices"

// link joins a table to the next by a reference.
type link struct {
	from *Table
	ref  Ref
	to   *Table // the table that ref leads to; from refers to it
}

func (l link) on() string {
	return l.from.Name + "." + quoted(l.ref.Column) + " = " + l.to.Name + "." + quoted(l.ref.ToColumn)
}

// up returns the references that lead from one table to another, each from a
// row to exactly one: a join along them repeats nothing. It returns nil if
// there are none.
func (s *Schema) up(from, to *Table) []link {
	return s.path(from, to, false)
}

// path returns the shortest way between two tables. With both, it may go
// against references.
func (s *Schema) path(from, to *Table, both bool) []link {
	type step struct {
		at  *Table
		way []link
	}
	seen := map[*Table]bool{from: true}
	for queue := []step{{from, []link{}}}; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		if here.at == to {
			return here.way
		}
		visit := func(t *Table, l link) {
			if t != nil && !seen[t] {
				seen[t] = true
				queue = append(queue, step{t, append(slices.Clone(here.way), l)})
			}
		}
		for _, ref := range here.at.Refs {
			t := s.table(ref.Table)
			visit(t, link{here.at, ref, t})
		}
		for i := range s.Tables {
			for _, ref := range s.Tables[i].Refs {
				if both && s.table(ref.Table) == here.at {
					visit(&s.Tables[i], link{&s.Tables[i], ref, here.at})
				}
			}
		}
	}
	return nil
}
