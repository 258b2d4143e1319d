//! The server as an editor sees it, over a connection in memory.

mod client;
mod protocol;
mod session;
