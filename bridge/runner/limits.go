package runner

import "cmp"

// Limits bounds what tasks take. A zero field means the default, unless it says otherwise.
type Limits struct {
	InForce func() Limits // if set, returns the limits of each call, in the place of the others

	TasksPerUser   int // tasks of one user that run at one time; 1000
	TasksPerClient int // that run here at one time; 10,000
	TasksPerAgent  int // that run here at one time; 10,000
	Tasks          int // that run here at one time; 20,000
	TaskSize       int // bytes of a task; 16 MiB
	MemoryPerUser  int // bytes of the running tasks of one user; 48 MiB
	Memory         int // bytes of all running tasks; 256 MiB

	StoredPerUser  int64 // bytes of the stored tasks of one user; 0 is no limit
	StoredPerAgent int64 // the same of one agent
}

// inForce returns the limits with the defaults in place of zeros.
func (l Limits) inForce() Limits {
	if l.InForce != nil {
		l = l.InForce()
	}
	return Limits{
		TasksPerUser:   cmp.Or(l.TasksPerUser, 1000),
		TasksPerClient: cmp.Or(l.TasksPerClient, 10_000),
		TasksPerAgent:  cmp.Or(l.TasksPerAgent, 10_000),
		Tasks:          cmp.Or(l.Tasks, 20_000),
		TaskSize:       cmp.Or(l.TaskSize, 16<<20),
		MemoryPerUser:  cmp.Or(l.MemoryPerUser, 48<<20),
		Memory:         cmp.Or(l.Memory, 256<<20),

		StoredPerUser:  l.StoredPerUser,
		StoredPerAgent: l.StoredPerAgent,
	}
}
