//! Pictures of a dialogue's graph.
