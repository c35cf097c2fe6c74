//! What the derives reject and accept. The cases are in `tests/ui` and `tests/pass`.
