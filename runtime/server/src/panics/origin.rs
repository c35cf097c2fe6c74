//! Where code of the user panicked, for subscribers of `tracing`.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::Once;

use tracing::Span;

use crate::observed::observe;

/// The place of a panic.
struct Origin {
    file: String,
    line: u32,
    backtrace: Backtrace,
    span: Span,
}

thread_local! {
    /// How many calls of user code this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static LAST: RefCell<Option<Origin>> = const { RefCell::new(None) };
}

/// Notes from now on where code of the user panics, before the program's panic hook runs. Other panics are not noted.
pub(crate) fn note_origins() {
    static ONCE: Once = Once::new();
    // The hook cannot be changed during a panic.
    if std::thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |panic| {
            note(panic);
            previous(panic);
        }));
    });
}

fn note(panic: &PanicHookInfo<'_>) {
    if !DEPTH.try_with(|depth| depth.get() > 0).unwrap_or(false) {
        return;
    }
    let Some(place) = panic.location() else { return };
    let origin = Origin {
        file: place.file().to_owned(),
        line: place.line(),
        backtrace: Backtrace::capture(),
        span: Span::current(),
    };
    // It is recorded once the panic is caught: here, a subscriber may hold its locks.
    _ = LAST.try_with(|last| last.try_borrow_mut().map(|mut last| *last = Some(origin)));
}

/// Code of the user that this thread runs.
pub(super) struct Running;

impl Running {
    pub(super) fn begin() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Records a panic that was caught. Its message may quote arguments, and stays on standard error.
pub(super) fn record() {
    let Some(Origin { file, line, backtrace, span }) = LAST.take() else {
        observe!(ERROR, exception.r#type = "panic", "a handler panicked");
        return;
    };
    let backtrace = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    span.in_scope(|| {
        observe!(
            ERROR,
            exception.r#type = "panic",
            exception.stacktrace = backtrace,
            code.file.path = file,
            code.line.number = line,
            "a handler panicked"
        );
    });
}
