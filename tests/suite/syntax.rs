//! The parser against everything that is not a program.
