//! A cache of facts about types, for the lifetime of the program.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Values by type, at most one per type of the program.
#[derive(Debug)]
pub(crate) struct PerType<V: ?Sized>(Mutex<Option<HashMap<TypeId, Arc<V>>>>);

impl<V: ?Sized> PerType<V> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the value of `T`, creating it on the first call.
    pub(crate) fn get<T: 'static>(&self, make: impl FnOnce() -> Arc<V>) -> Arc<V> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().as_ref().and_then(|known| known.get(&TypeId::of::<T>())) {
            return Arc::clone(value);
        }
        // Not under the lock: a type may create definitions while it is deserialized.
        let value = make();
        known().get_or_insert_with(HashMap::new).insert(TypeId::of::<T>(), Arc::clone(&value));
        value
    }
}
