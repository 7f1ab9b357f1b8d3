package domain

import "strings"

// flagNames are the names of the flags in the order in which the kernel shows
// them (reference A.9). SD_LOAD_BALANCE comes first: it was the lowest bit.
var flagNames = []struct {
	flag Flags
	name string
}{
	{LoadBalance, "SD_LOAD_BALANCE"},
	{BalanceNewidle, "SD_BALANCE_NEWIDLE"},
	{BalanceExec, "SD_BALANCE_EXEC"},
	{BalanceFork, "SD_BALANCE_FORK"},
	{BalanceWake, "SD_BALANCE_WAKE"},
	{WakeAffine, "SD_WAKE_AFFINE"},
	{AsymCPUCapacity, "SD_ASYM_CPUCAPACITY"},
	{AsymCPUCapacityFull, "SD_ASYM_CPUCAPACITY_FULL"},
	{ShareCPUCapacity, "SD_SHARE_CPUCAPACITY"},
	{Cluster, "SD_CLUSTER"},
	{ShareLLC, "SD_SHARE_LLC"},
	{Serialize, "SD_SERIALIZE"},
	{AsymPacking, "SD_ASYM_PACKING"},
	{PreferSibling, "SD_PREFER_SIBLING"},
	{Overlap, "SD_OVERLAP"},
	{NUMA, "SD_NUMA"},
}

// String returns the flags' names as 6.12 has them, separated by blanks.
func (f Flags) String() string { return strings.Join(f.names(false), " ") }

// FlagNames returns the names of flags as the kernel of the rules has them,
// separated by blanks, in its order.
func (r Rules) FlagNames(f Flags) string { return strings.Join(f.names(r.PkgResources), " ") }

func (f Flags) names(pkgResources bool) []string {
	var names []string
	for _, n := range flagNames {
		switch {
		case f&n.flag == 0:
		case n.flag == ShareLLC && pkgResources:
			names = append(names, "SD_SHARE_PKG_RESOURCES")
		default:
			names = append(names, n.name)
		}
	}
	return names
}
