//! A proxy between clients and a server of either era.

mod passed_on;
mod questions;
mod shop;
