// Command schedlab tries Linux scheduler changes on any machine, before anyone
// builds a kernel. See schedlab --help.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
