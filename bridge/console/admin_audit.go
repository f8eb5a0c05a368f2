package console

import (
	"net/http"

	"rialto/bridge/console/auditreport"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/templates"
)

// adminAudit are the pages about the audit log.
type adminAudit struct{ *Console }

// audit shows the audit log.
func (c adminAudit) audit(r *http.Request) (*templates.Console, error) {
	f := &operator.EventFilter{}
	q, err := c.parse(r, operator.Filters(f))
	if err != nil {
		return nil, err
	}

	section, err := c.filtered(r, q, f, c)
	section.ID = "audit"
	return &templates.Console{
		Title:    "Audit log",
		Lead:     templates.Textf("Every sign-in and change, with its origin. Read-only."),
		Actions:  q.exports("/admin/audit/export"),
		Sections: []templates.Section{section},
	}, err
}

func (c adminAudit) cell(r *http.Request, entry any, column string) templates.Text {
	return c.events().Cell(r.Context(), entry.(audit.Event), column)
}

func (c *Console) events() auditreport.Report {
	return auditreport.Report{OAuth: c.OAuth, Now: c.Now()}
}

// exportAudit sends the events of a filter as a file.
func (c adminAudit) exportAudit(w http.ResponseWriter, r *http.Request) {
	var f operator.EventFilter
	if _, err := c.parse(r, operator.Filters(&f)); err != nil {
		c.writeError(w, r, err)
		return
	}

	c.send(w, r, "rialto-audit", func(format operator.Format) error {
		return operator.WriteEvents(
			w, format, c.Admin.AllEvents(r.Context(), f.Filter, param(r, "page_token")),
		)
	})
}
