package domain

// needGroups are the flags that 5.14 and later count only with two groups or
// more: all but WakeAffine (reference A.3).
const needGroups = BalanceNewidle | BalanceExec | BalanceFork | BalanceWake |
	AsymCPUCapacity | AsymCPUCapacityFull | ShareCPUCapacity | Cluster | ShareLLC |
	Serialize | AsymPacking | PreferSibling | Overlap | NUMA

// oldNeedGroups are those of v4.19 and v5.3.
const oldNeedGroups = LoadBalance | BalanceNewidle | BalanceExec | BalanceFork |
	ShareCPUCapacity | AsymCPUCapacity | ShareLLC

// nodeReclaim is the distance beyond which a node is far (reference A.2).
const nodeReclaim = 30

// RulesV419 are the rules of v4.19 (reference A, K4.19).
func RulesV419() Rules {
	return Rules{
		TopName:          "DIE",
		BusyFactor:       32,
		ImbalancePct:     125,
		LoadBalance:      true,
		NodeReclaim:      nodeReclaim,
		PkgResources:     true,
		LoadIndex:        true,
		SMTGain:          1178,
		NeedGroups:       oldNeedGroups,
		ParentNeedGroups: oldNeedGroups | PreferSibling,
		NodeZeroRow:      true,
		MemoryNodes:      true,
	}
}

// RulesV53 are the rules of v5.3 (K5.3).
func RulesV53() Rules {
	r := RulesV419()
	r.LoadIndex, r.SMTGain = false, 0
	r.Asym = AsymLevel
	return r
}

// RulesV514 are the rules of v5.14 (K5.14).
func RulesV514() Rules {
	return Rules{
		TopName:          "DIE",
		BusyFactor:       16,
		ImbalancePct:     117,
		NodeReclaim:      nodeReclaim,
		PkgResources:     true,
		NeedGroups:       needGroups,
		ParentNeedGroups: needGroups,
		Asym:             AsymSpan,
		MemoryNodes:      true,
		Descend:          true,
	}
}

// RulesV61 are the rules of v6.1 (K6.1).
func RulesV61() Rules {
	r := RulesV514()
	r.Cluster = true
	r.ImbNUMA = true
	r.MemoryNodes = false
	return r
}

// RulesV612 are the rules of v6.12 and of the 6.12 stable kernels (K6.12, reference L).
func RulesV612() Rules {
	r := RulesV61()
	r.ClusterFlag = true
	r.TopName = "PKG"
	r.PkgResources = false
	r.FirstGroup = true
	return r
}
