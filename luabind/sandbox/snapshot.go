package sandbox

type snapshot struct{}
