package kernel

import "math/bits"

// nice0 is the weight of a nice-0 task.
const nice0 = 1024

// weightScale is how much finer the kernel's inner load weights are than the
// weights of nice values (scale_load).
const weightScale = 1024

// IdlePolicyWeight is the weight of a SCHED_IDLE task.
const IdlePolicyWeight = 3

// niceWeight holds the weight of each nice value from -20 (reference C.1).
var niceWeight = [40]int64{
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277,
	1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
	110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
}

// NiceWeight returns the load weight of a nice value, clamped to -20..19.
func NiceWeight(nice int) int64 { return niceWeight[min(max(nice, -20), 19)+20] }

// classWeight is the load weight of a task of a class and a nice value
// (set_load_weight).
func classWeight(class Class, nice int) int64 {
	if class == IdlePolicy {
		return IdlePolicyWeight
	}
	return NiceWeight(nice)
}

// vdelta is the virtual time that delta ns of running are worth at a weight.
func vdelta(delta, weight int64) int64 {
	if weight == nice0 {
		return delta
	}
	return scaleDelta(delta, nice0, weight)
}

// scaleDelta returns delta * num / den in the kernel's fixed point: by the
// 32-bit inverse of den, with the product of num and it shifted down to 32
// bits first (reference C.1).
func scaleDelta(delta, num, den int64) int64 {
	factor := uint64(num) * (0xffffffff / uint64(den))
	shift := 32
	if high := factor >> 32; high != 0 {
		n := bits.Len64(high)
		factor >>= n
		shift -= n
	}
	hi, lo := bits.Mul64(uint64(delta), factor)
	if shift <= 0 {
		return int64(lo << -shift)
	}
	return int64(hi<<(64-shift) | lo>>shift)
}
