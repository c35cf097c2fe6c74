//! The tests of this package show that a tool's schema accepts exactly what its reader accepts; see
//! `tests/agreement`.
