//! Authorization: tokens, scopes, keys, and access.

mod challenges;
mod changes;
mod ended;
mod introspection;
mod jwt;
mod keys;
mod metadata;
mod provided;
mod rounds;
mod scopes;
mod sessions;
mod tasks;
mod visibility;
mod websocket;
