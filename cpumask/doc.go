// Package cpumask holds sets of CPUs.
//
// A [Mask] is dense: one bit per CPU id, of any width (there is no limit of
// 64 or 1024 CPUs). All walks are by word, in the two orders in which the
// Linux scheduler visits CPUs and which therefore decide its ties:
//
//   - ascending, lowest id first: [Mask.Next], [Mask.All];
//   - wrapped: ascending from a start, round to the lowest member and on to
//     the one before the start: [Mask.NextWrap], [Mask.Wrap].
//
// No walk allocates. A walk looks at the mask as it goes: members removed
// ahead of the cursor are not visited (reference section B.5, llc_scan).
//
// Masks are read and written in the list format of the kernel's files
// ("0-3,8", with strides "0-31:2/4") and in its hexadecimal one ("ff,0000000f").
package cpumask
