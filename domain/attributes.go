package domain

// setAttributes sets what depends on the level and the version alone
// (reference A.2). weight counts the CPUs of the level in no partition.
func setAttributes(d *Domain, r Rules, lv *level, weight int) {
	d.MinInterval = weight
	d.MaxInterval = 2 * weight
	d.BusyFactor = r.BusyFactor
	d.ImbalancePct = r.ImbalancePct
	d.Flags = BalanceNewidle | BalanceExec | BalanceFork | WakeAffine | PreferSibling | lv.flags
	if r.LoadBalance {
		d.Flags |= LoadBalance
	}
	switch {
	case lv.flags&ShareCPUCapacity != 0:
		d.ImbalancePct = 110
	case lv.flags&ShareLLC != 0:
		d.ImbalancePct = 117
		d.CacheNiceTries = 1
	case lv.flags&NUMA != 0:
		d.CacheNiceTries = 2
		d.Flags = d.Flags&^PreferSibling | Serialize | Overlap
		if lv.distance > r.NodeReclaim {
			d.Flags &^= BalanceExec | BalanceFork | WakeAffine
		}
	default:
		d.CacheNiceTries = 1
	}
	if r.LoadIndex {
		setLoadIndices(d, lv)
	}
}

func setLoadIndices(d *Domain, lv *level) {
	switch {
	case lv.flags&ShareCPUCapacity != 0:
	case lv.flags&ShareLLC != 0:
		d.BusyIdx = 2
	case lv.flags&NUMA != 0:
		d.BusyIdx, d.IdleIdx = 3, 2
	default:
		d.BusyIdx, d.IdleIdx = 2, 1
	}
}
