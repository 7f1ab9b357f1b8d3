package kernel

import (
	"math/big"
	"testing"
)

// TestHalfLife compares the table with powers of one half computed exactly
// enough: entry n is 2^(32 - n/32), rounded down by less than 2.
func TestHalfLife(t *testing.T) {
	for n, got := range halfLife {
		// x^32 <= 2^(32*32-n) defines floor(2^(32-n/32)).
		lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), 33)
		limit := new(big.Int).Lsh(big.NewInt(1), uint(32*32-n))
		for new(big.Int).Sub(hi, lo).Cmp(big.NewInt(1)) > 0 {
			mid := new(big.Int).Rsh(new(big.Int).Add(lo, hi), 1)
			if new(big.Int).Exp(mid, big.NewInt(32), nil).Cmp(limit) <= 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		if diff := lo.Int64() - int64(got); diff < 0 || diff > 1 {
			t.Errorf("halfLife[%d] = %#x, want %#x", n, got, lo)
		}
	}
}

// TestSteadyState is reference C.7: always on converges to the maximum, and a
// step response is half way after 32 periods.
func TestSteadyState(t *testing.T) {
	var a Avg
	for now := int64(1 << 20); now < 2<<30; now += 1 << 20 {
		a.accumulate(now, 1, 1, 1)
	}
	a.average(nice0)
	if a.Util < 1015 || a.Util > 1024 || a.Load < 1015 || a.Load > 1024 {
		t.Errorf("always on: util %d, load %d, want about 1024", a.Util, a.Load)
	}
	half := a.Util / 2
	start := a.Last
	a.accumulate(start+32*1024*1024, 0, 0, 0)
	a.average(nice0)
	if a.Util < half-8 || a.Util > half+8 {
		t.Errorf("after 32 periods off: util %d, want about %d", a.Util, half)
	}
	a.accumulate(start+3000*1024*1024, 0, 0, 0)
	if a.LoadSum != 0 || a.UtilSum != 0 {
		t.Errorf("after 3000 periods something is left: %d, %d", a.LoadSum, a.UtilSum)
	}
}

// TestAccumulateSplits: cutting a stretch of time in pieces changes the sums by
// rounding only.
func TestAccumulateSplits(t *testing.T) {
	var whole, pieces Avg
	const end = 777 * 1024 * 100
	whole.accumulate(end, 1, 1, 1)
	for now := int64(0); now <= end; now += 1024 * 100 {
		pieces.accumulate(now, 1, 1, 1)
	}
	if d := int64(whole.LoadSum) - int64(pieces.LoadSum); d < -200 || d > 200 {
		t.Errorf("one update gives %d, many give %d", whole.LoadSum, pieces.LoadSum)
	}
	if whole.part != pieces.part || whole.Last != pieces.Last {
		t.Errorf("periods are out of step: %d/%d and %d/%d", whole.part, whole.Last, pieces.part, pieces.Last)
	}
}

func TestScaleDelta(t *testing.T) {
	for _, weight := range niceWeight {
		for _, d := range []int64{0, 1, 1000, 3_000_000, 24_000_000, 1 << 40} {
			got := vdelta(d, weight)
			want := new(big.Int).Mul(big.NewInt(d), big.NewInt(nice0))
			want.Div(want, big.NewInt(weight))
			// The inverse of a weight has 32 bits, so it is short by up to weight parts in 2^32.
			exact := want.Int64()
			if diff := exact - got; diff < 0 || diff > 2+exact>>28+(exact>>16*weight)>>16 {
				t.Errorf("vdelta(%d, %d) = %d, want %d", d, weight, got, want)
			}
		}
	}
}
