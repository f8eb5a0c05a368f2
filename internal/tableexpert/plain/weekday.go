package plain

import (
	"slices"
	"strings"
	"time"
)

// weekdays are the days of the week as people call them, in the singular, and those
// that are meant, as strftime('%u') tells them: 1 is Monday.
var weekdays = map[string]string{
	"monday": "1", "tuesday": "2", "wednesday": "3", "thursday": "4", "friday": "5", "saturday": "6", "sunday": "7",
	"weekend": weekend, "working day": "12345", "business day": "12345",
	"lune": "1", "lunes": "1", "martes": "2", "miércoles": "3", "jueves": "4", "vierne": "5", "viernes": "5",
	"sábado": "6", "domingo": "7", "fin de semana": weekend,
}

const weekend = "67"

// weekdayAt reads days of the week at the beginning of ts, and says how many tokens it
// took.
func weekdayAt(ts []token) (days string, n int) {
	for n := min(3, len(ts)); n > 0; n-- {
		if days := weekdays[folded(ts[:n])]; days != "" {
			return days, n
		}
	}
	if ts[0].word == "weekdays" { // "by weekday" is by each
		return "12345", 1
	}
	return "", 0
}

// daysAround returns the last of such a day or weekend before today, with by 1 the next
// after it, and with 0 that of this week.
func daysAround(today time.Time, days string, by int) period {
	from := beginning(today, "week").AddDate(0, 0, int(days[0]-'1'))
	if d := day(today); by < 0 && !from.Before(d) || by > 0 && !from.After(d) || by < 0 && days == weekend {
		from = from.AddDate(0, 0, 7*by)
	}
	return period{from: from, to: from.AddDate(0, 0, len(days))}
}

// weekday keeps the rows of some days of the week.
func (r *reading) weekday(it *item) {
	p := r.dated()
	if !p.valid() {
		return
	}
	it.used = true
	days := strings.Split(it.days, "")
	if n := len(r.filters); n > 0 && (r.before(and) || r.or != nil) && r.filters[n-1].place == p && len(r.filters[n-1].days) > 0 {
		days, r.or = append(r.filters[n-1].days, days...), nil // on Saturdays and Sundays
		r.filters = r.filters[:n-1]
		slices.Sort(days)
	}
	r.narrow(filter{place: p, days: days, words: p.name() + " is on day " + strings.Join(days, ", ") + " of the week",
		cond: "strftime('%%u', %[1]s) IN ('" + strings.Join(days, "', '") + "')", time: p != r.column})
	r.column, r.timed, r.timedBy = place{}, r.at, p
}
