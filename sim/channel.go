package sim

// channel is a pipe or socket at work.
type channel struct {
	ChannelSpec
	used      int32 // bytes, overhead included
	messages  int32
	receivers taskList
	senders   taskList
}

// full reports whether a send of n bytes has to wait. A message larger than the
// whole channel passes when the channel is empty.
func (c *channel) full(n int32) bool {
	return c.used > 0 && c.used+n+c.Overhead > c.Capacity
}

func (c *channel) put(n int32) {
	c.used += n + c.Overhead
	c.messages++
}

// empty reports whether a receive has to wait. Messages are taken as they were
// sent: a receive takes one, whatever its length.
func (c *channel) empty() bool { return c.messages == 0 }

func (c *channel) take(n int32) {
	c.messages--
	c.used = max(c.used-n-c.Overhead, 0)
	if c.messages == 0 {
		c.used = 0
	}
}

// counter is an event: a count that tasks wait for.
type counter struct {
	count   int64
	waiters taskList
}

// taskList is a queue of blocked tasks, linked through task.nextWait.
type taskList struct{ head, tail int32 }

const nobody = -1

func emptyList() taskList { return taskList{nobody, nobody} }

func (s *Sim) listPush(l *taskList, id int32) {
	s.tasks[id].nextWait = nobody
	if l.head == nobody {
		l.head = id
	} else {
		s.tasks[l.tail].nextWait = id
	}
	l.tail = id
}

func (s *Sim) listPop(l *taskList) int32 {
	id := l.head
	if id != nobody {
		l.head = s.tasks[id].nextWait
		if l.head == nobody {
			l.tail = nobody
		}
	}
	return id
}
