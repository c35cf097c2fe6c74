//! Counting with callgrind.

use std::error::Error;
use std::path::Path;
use std::process::Command;

/// The counts of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Instructions outside the kernel, by all threads.
    pub(crate) instructions: u64,
    /// Allocator calls that request memory.
    pub(crate) allocations: u64,
}

/// The functions of the C library that hand out memory.
const ALLOCATORS: [&str; 6] = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"];

/// This program again, under callgrind, which writes its counts to `profile`.
pub(crate) fn command(profile: &Path) -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        // It warns of system calls that it does not know, such as pidfd_open, and lets them pass.
        .arg(format!("--log-file={}.log", profile.display()))
        .arg(std::env::current_exe()?);
    Ok(command)
}

impl Counts {
    /// The counts in a profile of the whole run.
    pub(crate) fn of(profile: &Path) -> Result<Self, Box<dyn Error>> {
        let counts = Self::parse(&std::fs::read_to_string(profile)?);
        counts.ok_or_else(|| format!("{} has no total", profile.display()).into())
    }

    /// Reads a profile (valgrind manual, "Callgrind Format Specification"). A name is written in full where it appears
    /// first, as `(number) name`, and as `(number)` from then on; `calls=` follows the function that is called.
    fn parse(profile: &str) -> Option<Self> {
        let mut allocators = Vec::new();
        let (mut instructions, mut allocations) = (None, 0);
        let mut calls_allocator = false;
        for line in profile.lines() {
            if let Some(function) = line.strip_prefix("cfn=").or_else(|| line.strip_prefix("fn=")) {
                let (number, name) = function.split_once(' ').unwrap_or((function, ""));
                if ALLOCATORS.contains(&name) {
                    allocators.push(number);
                }
                calls_allocator = line.starts_with('c') && allocators.contains(&number);
            } else if let Some(calls) = line.strip_prefix("calls=") {
                let count = calls.split(' ').next().and_then(|count| count.parse::<u64>().ok())?;
                allocations += if calls_allocator { count } else { 0 };
            } else if let Some(total) =
                line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: "))
            {
                instructions = total.trim().parse().ok();
            }
        }
        Some(Self { instructions: instructions?, allocations })
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn calls_of_allocators_are_added_up() {
        let profile = "events: Ir\nfn=(1) main\n16 400\ncfn=(2) malloc\ncalls=3 0\n16 90\ncfn=(3) free\ncalls=9 0\n16 9\n\
                       fn=(4) grow\n7 8\ncfn=(2)\ncalls=2 0\n7 60\nfn=(2)\n0 150\ncfn=(5) _int_malloc\ncalls=5 0\n0 50\n\
                       totals: 717\n";
        assert_eq!(Counts::parse(profile), Some(Counts { instructions: 717, allocations: 5 }));
        assert_eq!(Counts::parse("events: Ir\n"), None);
    }
}
