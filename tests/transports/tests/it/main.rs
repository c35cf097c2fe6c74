//! The same scenarios on every transport.

mod bounds;
mod durations;
mod method_table;
mod mounted;
mod table;
mod told;
mod unix_socket;
mod websocket;
