package workload

import "schedlab/sim"

// Sizes that decide how many messages a channel holds. Any Linux shows what
// follows from them: fill a channel without blocking, then read until poll says
// that it is writable again (channel_test.go has such counts).
const (
	pageSize  = 4096
	sndbuf    = 212992 // net.core.wmem_default
	skbHead   = 256    // the sk_buff itself, in whole cache lines
	skbTail   = 320    // skb_shared_info, behind the data in the same allocation
	pipePages = 16     // PIPE_DEF_BUFFERS

	// maxMessage is the largest message that a channel here carries whole.
	maxMessage = pageSize
)

// socket is one direction of an AF_UNIX stream socketpair that carries messages
// of size bytes, 1 to maxMessage (net/unix/af_unix.c and net/core/sock.c, equal
// in v4.20 and v6.12):
//
//   - a message is charged to the sending socket with its truesize, until the
//     receiver has read it;
//   - a send goes on while less than sndbuf is charged, and may pass it;
//   - blocked senders wait without WQ_FLAG_EXCLUSIVE: all are woken, by whoever
//     reads a message with a quarter of sndbuf or less left charged;
//   - so do receivers, which every send wakes that finds them waiting;
//   - both wake-ups are sync.
func socket(size int32) sim.ChannelSpec {
	charge := truesize(size)
	return sim.ChannelSpec{
		Capacity: sndbuf + charge - 1,
		Overhead: charge - size,
		LowWater: sndbuf / 4,
		Sync:     true,
	}
}

// truesize is the memory behind a message: the sk_buff and its data, of which
// what does not fit one page with skb_shared_info is in pages of its own.
func truesize(size int32) int32 {
	var paged int32
	if over := size - (pageSize - skbTail); over > 0 {
		paged = min(size, roundUp(over, pageSize))
	}
	return skbHead + slab(size-paged+skbTail) + roundUp(paged, pageSize)
}

// pipe is a pipe that carries messages of size bytes, 1 to maxMessage
// (fs/pipe.c): 16 pages, into the last of which a write goes that fits what is
// left of it, and otherwise a page of its own. Room comes back a page at a time,
// so blocked writers are woken when a page has been read. Readers and writers
// wait with WQ_FLAG_EXCLUSIVE since v5.6: one is woken. Wake-ups are sync.
//
// Three things of real pipes are not in it. None matters before a pipe is full.
// Before v5.6 all waiters are woken. From v5.5 to v6.13 every read of a pipe
// whose 16 pages are in use wakes a writer, which goes back to sleep unless the
// read emptied a page. And a writer that has slept takes a page of its own, even
// where the last one has room, so a pipe that stays full holds less.
func pipe(size int32) sim.ChannelSpec {
	page := pageSize / size * size // bytes of whole messages in a page
	return sim.ChannelSpec{
		Capacity:  pipePages * page,
		LowWater:  (pipePages - 1) * page,
		OneReader: true,
		OneWriter: true,
		Sync:      true,
	}
}

// slab is what the slab allocator gives for n bytes above 192: a power of two.
func slab(n int32) int32 {
	size := int32(256)
	for size < n {
		size *= 2
	}
	return size
}

func roundUp(n, unit int32) int32 { return (n + unit - 1) / unit * unit }
