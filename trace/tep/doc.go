// Package tep reads and writes the kernel's descriptions of its trace events,
// and the values of their fields in recorded bytes.
//
// Every event of a kernel has a format file (events/SYSTEM/NAME/format in
// tracefs): an id, and for each field its declaration, offset, size and
// signedness. trace.dat and perf.data carry these texts, so that a record is
// read by what its own kernel said of it and never by a layout that the reader
// believes in.
//
//	f, err := tep.Parse("sched", text)
//	...
//	pid := f.Field("next_pid")
//	value, ok := tep.Layout{Order: binary.LittleEndian, Long: 8}.Int(record, pid)
//
// Fields are found by name, and one that a kernel lacks is nil: reading it
// reports false. Nothing here trusts a record: a field that reaches beyond its
// end is not read.
package tep
