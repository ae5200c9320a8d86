package schema

type rules struct{}

func (n *node) makeRules() {}

func (s *Schema) fits(args []byte) (r reader, lacking, ok bool) { return reader{}, false, false }
