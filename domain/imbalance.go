package domain

// setImbNUMA sets the allowed NUMA imbalance of one CPU's domains, before any
// of them is removed (reference A.6).
func setImbNUMA(bottom *node) {
	imb, reference := 0, 1
	for n := bottom; n != nil; n = n.parent {
		if c := n.child; c == nil || n.Flags&ShareLLC != 0 || c.Flags&ShareLLC == 0 {
			n.ImbNUMA = imb * max(1, n.span.weight/reference)
			continue
		}
		imb = imbalanceOver(n.span.weight, n.child.span.weight)
		reference = numaAbove(n).span.weight
		n.ImbNUMA = imb
	}
}

// imbalanceOver is the imbalance allowed among weight CPUs in LLCs of llc CPUs:
// an eighth of them in one LLC, a task per LLC otherwise.
func imbalanceOver(weight, llc int) int {
	llcs := weight / llc
	if llcs == 1 {
		return max(1, weight/8)
	}
	return max(1, llcs)
}

// numaAbove returns the lowest NUMA domain above n, or n.
func numaAbove(n *node) *node {
	for up := n.parent; up != nil; up = up.parent {
		if up.Flags&NUMA != 0 {
			return up
		}
	}
	return n
}
