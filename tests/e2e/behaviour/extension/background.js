// The background only has to be there.
