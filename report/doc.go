// Package report prints what the rooms below found: comparisons, runs,
// machines, domains, policies and workloads.
//
// [Out] says where and in which [Format]:
//
//   - table: for people. Values are scaled (12.3 ms), equal in a pipe and on a
//     terminal but for colour. Not a format to parse.
//   - json, csv: for programs. Units are fixed by the metric's name
//     ([lab.Metrics]), times, counts and percentages are plain numbers; what is not
//     a number is null or empty.
//   - benchfmt: the Go benchmark format, one line a replica, for benchstat and
//     what else reads it. For measurements only.
//
// Equal results print equal bytes.
package report
