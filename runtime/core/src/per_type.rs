//! What is found out about a type, once for the whole program.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Values by type. There are as many as the program has types that are asked about.
#[derive(Debug)]
pub(crate) struct PerType<V: ?Sized>(Mutex<Option<HashMap<TypeId, Arc<V>>>>);

impl<V: ?Sized> PerType<V> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The value of `T`, made now if it is not there.
    pub(crate) fn get<T: 'static>(&self, make: impl FnOnce() -> Arc<V>) -> Arc<V> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = known().as_ref().and_then(|known| known.get(&TypeId::of::<T>())) {
            return Arc::clone(value);
        }
        // Without the lock: a type may make definitions while it reads.
        let value = make();
        known().get_or_insert_with(HashMap::new).insert(TypeId::of::<T>(), Arc::clone(&value));
        value
    }
}
