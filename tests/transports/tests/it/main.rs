//! The same scenarios on every transport.

mod bounds;
mod durations;
mod method_table;
mod mounted;
mod operator_log;
mod table;
mod unix_socket;
mod websocket;
