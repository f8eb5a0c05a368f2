package tools

import (
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/sanitize"
)

// reductions shorten the description of an agent, each more than the one before.
var reductions = []func(*directory.Info){
	func(*directory.Info) {},
	func(a *directory.Info) {
		eachSkill(a, func(s *directory.SkillInfo) {
			s.Examples = nil
			s.Tags = nil
		})
	},
	func(a *directory.Info) {
		eachSkill(
			a,
			func(s *directory.SkillInfo) { s.Description = sanitize.Truncate(s.Description, 150) },
		)
	},
	func(a *directory.Info) {
		a.Description = sanitize.Truncate(a.Description, 200)
		eachSkill(a, func(s *directory.SkillInfo) { s.Description = "" })
	},
	func(a *directory.Info) {
		for _, text := range []*string{&a.Title, &a.Description, &a.Problem} {
			*text = sanitize.Truncate(*text, 50)
		}
		a.Skills = []directory.SkillInfo{}
	},
}

// eachSkill changes a copy of the skills.
func eachSkill(a *directory.Info, change func(*directory.SkillInfo)) {
	a.Skills = append([]directory.SkillInfo{}, a.Skills...)
	for i := range a.Skills {
		change(&a.Skills[i])
	}
}

// truncateAgents shortens the descriptions of agents to fit a result, and reports
// whether everything fits.
func truncateAgents(agents []directory.Info) (fit []directory.Info, all bool) {
	fit = append([]directory.Info{}, agents...)
	for i, less := range reductions {
		for j := range fit {
			less(&fit[j])
		}
		if agentsFit(fit) {
			return fit, i == 0
		}
	}

	for len(fit) > 1 && !agentsFit(fit) {
		fit = fit[:len(fit)*3/4]
	}

	return fit, false
}

func agentsFit(agents []directory.Info) bool {
	return documents.Length(agents)+documents.Length(describeAgents(agents)) < documents.MaxResult
}
