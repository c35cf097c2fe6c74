//! Authorization: tokens, scopes, keys, and what they admit.

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
