package policy

import (
	"schedlab/domain"
	"schedlab/kernel"
)

// VersionInfo names a kernel version that policies may start from.
type VersionInfo struct{ Name, Summary string }

type version struct {
	VersionInfo
	make func() Policy
}

// versions are the presets: data, oldest first.
var versions = []version{
	{VersionInfo{"v4.20", "CFS; what stealing was written for (reference K4.19)"}, presetV420},
	{VersionInfo{"v5.3", "CFS; load by runnable tasks, no load history (reference K5.3)"}, presetV53},
	{VersionInfo{"v5.14", "CFS; groups by class, the last before recent_used_cpu changed (reference K5.14)"}, presetV514},
	{VersionInfo{"v6.1", "CFS; SIS_UTIL (reference K6.1)"}, presetV61},
	{VersionInfo{"v6.12", "EEVDF with delayed dequeue (reference K6.12)"}, presetV612},
	{VersionInfo{"v6.12.117", "the stable kernel of the recordings (reference L)"}, presetV612117},
}

// Versions lists the kernel versions, oldest first.
func Versions() []VersionInfo {
	out := make([]VersionInfo, len(versions))
	for i, v := range versions {
		out[i] = v.VersionInfo
	}
	return out
}

const (
	microsecond = 1_000
	millisecond = 1_000_000
)

// common is what every version here shares.
func common() Policy {
	return Policy{
		hz: 250, preempt: "voluntary", wakeAffine: true, newidle: true,
		kernel: kernel.Config{
			Features: kernel.Features{
				CacheHotBuddy: true, WakeupPreemption: true, TTWUQueue: true,
				WAIdle: true, WAWeight: true, WABias: true, UtilEst: true, AttachAgeLoad: true,
			},
			Tunables: kernel.Tunables{MigrationCost: 500 * microsecond, NrMigrate: 32},
		},
	}
}

func presetV420() Policy {
	p := common()
	p.gen, p.recent, p.rules = GenV420, RecentWaker, domain.RulesV419()
	p.kernel.RunnableLoad, p.kernel.WakeAvgShift, p.kernel.NewUtilScaled = true, true, true
	f := &p.kernel.Features
	f.GentleFairSleepers, f.StartDebit, f.LastBuddy, f.LBBias, f.SISProp = true, true, true, true, true
	t := &p.kernel.Tunables
	t.Latency, t.MinGranularity, t.WakeupGranularity = 6*millisecond, 750*microsecond, 1*millisecond
	return p
}

func presetV53() Policy {
	p := presetV420()
	p.gen, p.rules = GenV53, domain.RulesV53()
	return p
}

func presetV514() Policy {
	p := presetV53()
	p.gen, p.rules = GenV514, domain.RulesV514()
	p.kernel.RunnableLoad, p.kernel.WakeAvgShift = false, false
	f := &p.kernel.Features
	f.LBBias = false
	f.AltPeriod, f.FloorSlice = true, true
	return p
}

func presetV61() Policy {
	p := presetV514()
	p.gen, p.recent, p.rules = GenV61, RecentPrev, domain.RulesV61()
	p.kernel.SISProp, p.kernel.SISUtil = false, true
	p.kernel.IdleEntities, p.kernel.IdleGranularity = true, 750*microsecond
	return p
}

func presetV612() Policy {
	p := common()
	p.gen, p.recent, p.rules = GenV612, RecentPrev, domain.RulesV612()
	p.kernel.EEVDF = true
	f := &p.kernel.Features
	f.PlaceLag, f.PlaceDeadlineInitial, f.PlaceRelDeadline, f.RunToParity, f.PreemptShort = true, true, true, true, true
	f.DelayDequeue, f.DelayZero, f.SISUtil = true, true, true
	p.kernel.BaseSlice = 750 * microsecond
	return p
}

func presetV612117() Policy {
	p := presetV612()
	p.kernel.Fixes612 = true
	p.kernel.BaseSlice = 700 * microsecond
	p.kernel.NIRandom = true
	return p
}
