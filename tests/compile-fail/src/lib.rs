//! What the derives reject and what they accept. The cases are in `tests/ui` and `tests/pass`.
