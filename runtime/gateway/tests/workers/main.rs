//! What every way to workers and every store of runs must do, for each that there is: one suite, run on all of them.

mod calls;
mod lab;
mod memory;
mod registry;
mod sides;
mod work;
