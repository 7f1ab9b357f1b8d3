package workload

import "schedlab/sim"

// Facts about Linux's AF_UNIX stream sockets (net/core/sock.c, net/unix):
// a small message is charged its truesize to the sender's buffer, a sender
// blocks while the buffer is used up, and blocked senders are all woken once a
// quarter of it or less is used. Wake-ups are sync.
const (
	sockSndbuf   = 212992 // net.core.wmem_default
	skbOverhead  = 256    // the sk_buff itself
	skbShared    = 320    // behind the data, in the same allocation
	pipePage     = 4096
	pipeCapacity = 16 * pipePage
)

// socket is one direction of a socketpair that carries messages of size bytes.
func socket(size int32) sim.ChannelSpec {
	truesize := int32(skbOverhead + allocation(int(size)+skbShared))
	return sim.ChannelSpec{
		// A send goes on while less than sndbuf is used, and may pass it.
		Capacity: sockSndbuf + truesize - 1,
		Overhead: truesize - size,
		LowWater: sockSndbuf / 4,
		Sync:     true,
	}
}

// pipe is a pipe: 16 pages, small writes merged; a reader or writer at a time is
// woken (exclusive waits since v5.5), a writer once a page is free.
func pipe() sim.ChannelSpec {
	return sim.ChannelSpec{
		Capacity: pipeCapacity, LowWater: pipeCapacity - pipePage,
		OneReader: true, OneWriter: true, Sync: true,
	}
}

// allocation is what the slab allocator gives for n bytes: a power of two.
func allocation(n int) int {
	size := 64
	for size < n {
		size *= 2
	}
	return size
}
