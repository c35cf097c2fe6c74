//! A call with code around it: with middleware that does nothing, and with spans that no subscriber receives.

use std::error::Error;

use toolwright_server::middleware::{Invocation, Next, Spans};

use crate::measured::{Measured, Unit};
use crate::server_cases::{self, CALL_MODERN, Case, server};

/// The argument with which this program serves with middleware that does nothing.
pub(crate) const SERVE_LAYER: &str = "serve-layer";
/// The argument with which this program serves with spans.
pub(crate) const SERVE_SPANS: &str = "serve-spans";

pub(crate) const LAYER: Case = Case { name: "call_with_layer", serve: SERVE_LAYER, ..CALL_MODERN };
pub(crate) const SPANS: Case = Case { name: "call_with_spans", serve: SERVE_SPANS, ..CALL_MODERN };

/// Serves with middleware that does nothing.
pub(crate) fn serve_with_layer() -> Result<(), Box<dyn Error>> {
    let layer = |invocation: Invocation, next: Next| next.run(invocation);
    Ok(server_cases::serve_on_stdio(&server(0).middleware(layer).build()?)?)
}

/// Serves with spans.
pub(crate) fn serve_with_spans() -> Result<(), Box<dyn Error>> {
    Ok(server_cases::serve_on_stdio(&server(0).middleware(Spans::new()).build()?)?)
}

/// Spans that no one receives must cost hardly anything.
pub(crate) fn growth_with_spans(measured: &[Measured]) -> Option<String> {
    let [plain, spans] = [CALL_MODERN, SPANS].map(|case| {
        measured.iter().find(|measured| measured.name == case.name)?.costs.get(&Unit::Instructions)
    });
    let (plain, spans) = (plain?, spans?);
    (spans * 100 > plain * 105).then(|| {
        format!(
            "a call takes {plain} instructions, and {spans} with spans and no subscriber: more than 5 % apart"
        )
    })
}
