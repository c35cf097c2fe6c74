//! What the derives refuse and what they take. The cases are in `tests/ui` and `tests/pass`.
