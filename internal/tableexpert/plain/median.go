package plain

import "strings"

// median selects the middle value of each group, or the average of the two in the middle:
// SQLite has no function for it.
func (st *statement) median() string {
	var groups, names []string
	for _, c := range st.columns[:len(st.groups)] {
		i := strings.LastIndex(c, " AS ")
		groups, names = append(groups, c[:i]), append(names, c[i+len(" AS "):])
	}
	each := ""
	if len(groups) > 0 {
		each = "PARTITION BY " + strings.Join(groups, ", ")
	}
	inner := *st
	inner.where = append(inner.where[:len(inner.where):len(inner.where)], st.middle+" IS NOT NULL")
	columns := append(st.columns[:len(groups):len(groups)], st.middle+" AS value",
		"row_number() OVER ("+strings.TrimSpace(each+" ORDER BY "+st.middle)+") AS place", "count(*) OVER ("+each+") AS places")
	return "SELECT " + strings.Join(append(names, st.columns[len(groups):]...), ", ") +
		" FROM (SELECT " + strings.Join(columns, ", ") + inner.from() + ") WHERE place IN ((places + 1) / 2, (places + 2) / 2)"
}
