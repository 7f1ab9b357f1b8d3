package machine

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// hwlocDistances is a matrix of latencies between NUMA nodes.
type hwlocDistances struct {
	size    int
	indexes []int // os_index of each node; nil: as they come
	values  []int
}

// distances2 reads a matrix of hwloc 2 and 3, if it is one of nodes' latencies.
func (h *hwlocReader) distances2(t xml.StartElement) error {
	kind, _ := strconv.Atoi(attr(t, "kind"))
	const meansLatency = 1 << 2
	if attr(t, "type") != "NUMANode" || kind&meansLatency == 0 || h.dist.size != 0 {
		return h.d.Skip()
	}
	var body struct {
		Indexes []string `xml:"indexes"`
		Values  []string `xml:"u64values"`
	}
	if err := h.d.DecodeElement(&body, &t); err != nil {
		return err
	}
	n, err := strconv.Atoi(attr(t, "nbobjs"))
	if err != nil || n < 1 || n > maxNodes {
		return fmt.Errorf("distances2: nbobjs %q", clip(attr(t, "nbobjs")))
	}
	h.dist = hwlocDistances{size: n}
	if h.dist.indexes, err = parseNumbers(strings.Join(body.Indexes, " "), n); err != nil {
		return fmt.Errorf("distances2: indexes: %w", err)
	}
	if h.dist.values, err = parseNumbers(strings.Join(body.Values, " "), n*n); err != nil {
		return fmt.Errorf("distances2: u64values: %w", err)
	}
	return nil
}

// distances1 reads a matrix of hwloc 1, which says of what only by its size.
func (h *hwlocReader) distances1(t xml.StartElement) error {
	var body struct {
		Latency []struct {
			Value string `xml:"value,attr"`
		} `xml:"latency"`
	}
	if err := h.d.DecodeElement(&body, &t); err != nil {
		return err
	}
	n, err := strconv.Atoi(attr(t, "nbobjs"))
	if err != nil || n < 1 || n > maxNodes || len(body.Latency) != n*n || h.dist.size != 0 {
		return nil
	}
	base, err := strconv.ParseFloat(attr(t, "latency_base"), 64)
	if err != nil {
		base = 1
	}
	h.dist = hwlocDistances{size: n}
	for _, l := range body.Latency {
		v, err := strconv.ParseFloat(l.Value, 64)
		if err != nil {
			return fmt.Errorf("distances: %q is not a number", clip(l.Value))
		}
		h.dist.values = append(h.dist.values, int(math.Round(min(max(v*base, 0), 1e6))))
	}
	return nil
}

// parseNumbers reads exactly n numbers.
func parseNumbers(s string, n int) ([]int, error) {
	fields := strings.Fields(s)
	if len(fields) != n {
		return nil, fmt.Errorf("%d values, want %d", len(fields), n)
	}
	out := make([]int, n)
	for i, f := range fields {
		v, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", clip(f))
		}
		out[i] = int(min(v, 1<<30))
	}
	return out, nil
}

// useDistances gives the nodes their rows, if the matrix is about all of them.
func (h *hwlocReader) useDistances() {
	d := &h.dist
	if d.size == 0 {
		return
	}
	at := map[int]int{}
	for i := range h.parts.nodes {
		at[h.parts.nodes[i].id] = i
	}
	order := make([]int, d.size) // positions of the matrix's nodes
	for i := range order {
		order[i] = i
		if d.indexes != nil {
			j, ok := at[d.indexes[i]]
			if !ok {
				h.lost = true
				return
			}
			order[i] = j
		}
	}
	if d.size != len(h.parts.nodes) {
		h.lost = d.indexes != nil
		return
	}
	for _, v := range d.values {
		if v < 1 || v > maxDistance {
			h.lost = true
			return
		}
	}
	for i, a := range order {
		row := make([]int, d.size)
		for j, b := range order {
			row[b] = d.values[i*d.size+j]
		}
		h.parts.nodes[a].distance = row
	}
}
