//! What to write where a type lacks a trait, for traits of other crates, whose messages cannot say it.
//!
//! Each check is a method with a bound, and a method of the same name in a trait. The compiler takes the latter if the bound does
//! not hold, and then reports the trait that the latter requires: no type implements it, and its message is ours. Unlike a trait
//! with a blanket implementation, this can also depend on a second type: a future is not to blame for its state.

use std::future::{Future, Pending, pending};
use std::marker::PhantomData;

use schemars::JsonSchema;

/// The state of a server. [`expect_shared`](Self::expect_shared) exists for every state that threads can share.
#[derive(Debug)]
pub struct State<S>(PhantomData<S>);

impl<S: Send + Sync> State<S> {
    /// Requires nothing more.
    pub fn expect_shared() {}
}

/// The counterpart of [`State`] for a type that threads cannot share.
pub trait OtherState<S> {
    /// Reports the type.
    fn expect_shared()
    where
        S: SharedState,
    {
    }
}

impl<S> OtherState<S> for State<S> {}

/// Never implemented.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of a server, since calls run on several threads",
    label = "has to be `Send` and `Sync`",
    note = "hold `Arc` instead of `Rc`, and `Mutex`, `RwLock` or an atomic instead of `RefCell` or `Cell`; give a type parameter the bounds `Send + Sync + 'static`"
)]
pub trait SharedState {}

/// The future of a handler, and the state that it borrows.
#[derive(Debug)]
pub struct HandlerFuture<'a, S, F>(pub &'a S, pub F);

impl<S, F: Send> HandlerFuture<'_, S, F> {
    /// Returns the future.
    pub fn expect_send(self) -> F {
        self.1
    }
}

/// The counterpart of [`HandlerFuture`] for a future that cannot move to another thread.
pub trait OtherFuture<F> {
    /// Reports the future. The compiler reports the value that it holds.
    fn expect_send(self) -> F
    where
        F: SendFuture;
}

impl<S: Send + Sync, F> OtherFuture<F> for HandlerFuture<'_, S, F> {
    fn expect_send(self) -> F {
        self.1
    }
}

/// The counterpart of [`OtherFuture`] for a state that threads cannot share, which is the mistake then.
pub trait FutureOfOtherState<F: Future> {
    /// Returns a future that is `Send`, so that nothing is reported.
    fn expect_send(self) -> Pending<F::Output>;
}

impl<S, F: Future> FutureOfOtherState<F> for &HandlerFuture<'_, S, F> {
    fn expect_send(self) -> Pending<F::Output> {
        pending()
    }
}

/// Never implemented.
#[diagnostic::on_unimplemented(
    message = "a value that this handler holds across `.await` cannot be sent to another thread",
    label = "its future is not `Send`",
    note = "if it is the guard of a lock, end its block before `.await`, as in `{{ let guard = ….lock(); … }}` (`drop(guard)` is not enough), or use `tokio::sync::Mutex`",
    note = "hold `Arc` instead of `Rc`, and `Mutex` instead of `RefCell`"
)]
pub trait SendFuture {}

/// The type of a field, and the part of it that most likely lacks a schema: `Vec<Address>` and `Address`.
#[derive(Debug)]
pub struct FieldType<F, P: ?Sized>(PhantomData<F>, PhantomData<P>);

impl<F, P: ?Sized> FieldType<F, P> {
    /// Stands for both types.
    pub const NEW: Self = Self(PhantomData, PhantomData);
}

impl<F: JsonSchema, P: ?Sized> FieldType<F, P> {
    /// Requires nothing more.
    pub fn expect_schema(&self) {}
}

/// The counterpart of [`FieldType`] for a field without a schema, whose part has one.
pub trait OtherField<F> {
    /// Reports the field.
    fn expect_schema(&self)
    where
        F: DescribedField,
    {
    }
}

impl<F, P: ?Sized + JsonSchema> OtherField<F> for FieldType<F, P> {}

/// The counterpart of [`OtherField`] for a part without a schema.
pub trait OtherPart<P: ?Sized> {
    /// Reports the part.
    fn expect_schema(&self)
    where
        P: DescribedField,
    {
    }
}

impl<F, P: ?Sized> OtherPart<P> for &FieldType<F, P> {}

/// Never implemented.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no JSON Schema",
    label = "`{Self}` does not implement `schemars::JsonSchema`",
    note = "put `#[derive(serde::Deserialize, schemars::JsonSchema)]` on `{Self}`; for a type of another crate, enable the feature of schemars for that crate, or put `#[schemars(with = \"…\")]` on the field, with a type that has the same JSON"
)]
pub trait DescribedField {}
