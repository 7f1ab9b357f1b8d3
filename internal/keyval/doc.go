// Package keyval reads the specs that users type: NAME[:key=value,key=value...].
//
//	s, err := keyval.Parse("hackbench:groups=4,ipc=pipe")
//	groups := s.Int("groups", 10, 1, 1000, "groups of tasks")
//	pipe := s.Enum("ipc", "socket", "what carries the messages", "socket", "pipe") == "pipe"
//	err = s.Done()
//
// A getter takes a key's value, checks it, and describes the key, so what a key
// is said to be and what it is cannot differ: [Spec.Keys] returns the
// descriptions, and reading a spec that has only a name gives all of them.
//
// Getters note the first thing that is wrong and go on with the default;
// [Spec.Done] returns it, or names a key that no getter asked for and lists
// those that exist. Every error is one line.
//
// A value may hold anything printable but a comma (a file name, with its ':' and
// '/'); lists are written with '+' between their items.
package keyval
