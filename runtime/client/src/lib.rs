//! A client for any Model Context Protocol server.
