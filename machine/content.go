package machine

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxDescription bounds a description after decompression: XML of 8192 CPUs takes
// some 20 MB.
const maxDescription = 256 << 20

// contentHead is how much of a file its kind is told by.
const contentHead = 64 << 10

// readDescription reads a file that describes a machine in one text. It returns
// nil and no error for what is none: an archive.
func readDescription(r io.Reader, name string) (*Machine, error) {
	plain, err := decompress(bufio.NewReaderSize(r, contentHead))
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(&countingReader{r: plain, max: maxDescription}, contentHead)
	head, err := in.Peek(contentHead)
	if err != nil && err != io.EOF && kindOf(head) <= isArchive {
		return nil, nil // damaged early: as an archive it says where
	}
	if kind := kindOf(head); kind == isArchive {
		return nil, nil
	} else if read := descriptions[kind]; read != nil {
		m, err := read(in, name)
		return m, tidy(err)
	}
	return nil, errors.New("not a machine that is known: accepted are sysfs snapshots (directory, .tgz, .tar.bz2), hwloc XML, lscpu -p, -e or -J, and YAML as machine convert writes it")
}

type contentKind int

const (
	isUnknown contentKind = iota
	isArchive
	isXML
	isJSON
	isLscpuText
	isYAML
)

// descriptions read what a text of each kind describes.
var descriptions = map[contentKind]func(r io.Reader, name string) (*Machine, error){
	isXML: readHwloc, isJSON: readLscpuJSON, isLscpuText: readLscpu, isYAML: readYAML,
}

// maxMessage is how much of a hostile text an error may repeat.
const maxMessage = 300

// tidy is an error in one line that can be printed, whatever of its input it repeats.
func tidy(err error) error {
	if err == nil {
		return nil
	}
	s := printable(err.Error())
	if s == err.Error() && len(s) <= maxMessage {
		return err
	}
	return errors.New(clipTo(s, maxMessage))
}

// kindOf tells a file by its beginning.
func kindOf(head []byte) contentKind {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return isArchive
	case bytes.HasPrefix(text, []byte("<")):
		return isXML
	case bytes.HasPrefix(text, []byte("{")):
		return isJSON
	case isLscpu(text):
		return isLscpuText
	case isPresetText(text):
		return isYAML
	}
	return isUnknown
}

// isPresetText knows the form of the presets by a key of its top level.
func isPresetText(text []byte) bool {
	for line := range bytes.Lines(text) {
		for _, key := range []string{"layout:", "parts:", "extends:"} {
			if bytes.HasPrefix(line, []byte(key)) {
				return true
			}
		}
	}
	return false
}
