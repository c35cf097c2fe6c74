//! Unions.
#![allow(dead_code)]

use toolwright::Tool;

// misuse: a union
#[derive(Tool)]
union First {
    number: u32,
    fraction: f32,
}

// misuse: a union as a toolset
#[derive(toolwright::Toolset)]
union Second {
    number: u32,
    fraction: f32,
}

fn main() {}
