//! What both sides of the Model Context Protocol do with bytes: framing, event streams and the rules of HTTP.
