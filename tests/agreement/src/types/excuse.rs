//! Types that are refused when a server is built, since serde itself cannot read what their schema shows.

use super::{Body, Definition, Leaf, Model, Role, Shape, Tagging, Type};

/// Words of a refusal, and whether a type has what they speak of.
type Excuse = (&'static str, fn(&Model) -> bool);

/// All refusals that there are for such a reason.
pub const EXCUSES: &[Excuse] = &[
    ("no 128-bit integer inside of", |model| model.buffers() && model.has_wide()),
    ("no map with integers or booleans as keys inside of", |model| model.buffers() && model.has_typed_keys()),
    ("remove `deny_unknown_fields` from the type that flattens it", |model| {
        model.definitions.iter().any(Definition::is_closed_over_flat)
    }),
    ("arguments would be lost", |model| model.definitions.iter().any(Definition::is_untagged)),
    ("to the map that is flattened beside it", Model::flattens_beside_map),
    ("two fields or variants have the name", Model::collides),
    ("two fields have the name", |model| {
        let tags = model.definitions.iter().filter(|one| one.tag().is_some());
        model.collides() || (model.buffers() && tags.count() > 0)
    }),
];

impl Model {
    /// Whether a refusal with these words is right.
    pub fn excuses(&self, words: &str) -> bool {
        EXCUSES.iter().any(|(said, holds)| words.contains(said) && holds(self))
    }

    /// Whether serde reads something from a copy: what is flattened, or an enum with a tag or without any.
    pub(super) fn buffers(&self) -> bool {
        self.definitions.iter().any(Definition::buffers)
    }

    /// Whether a map is flattened somewhere, and something else as well.
    fn flattens_beside_map(&self) -> bool {
        let fields = || self.definitions.iter().flat_map(Definition::fields).filter(|field| field.is_flat);
        fields().count() > 1 && fields().any(|field| is_map(&field.of))
    }

    fn has_wide(&self) -> bool {
        self.uses(is_wide)
    }

    fn has_typed_keys(&self) -> bool {
        self.uses(has_typed_key)
    }
}

/// Whether it is an integer of 128 bits.
pub(super) fn is_wide(of: &Type) -> bool {
    matches!(of, Type::Leaf(Leaf::U128 | Leaf::I128))
}

/// Whether it is a map, or an `Option` or `Box` of one.
fn is_map(of: &Type) -> bool {
    match of {
        Type::Map(..) => true,
        Type::Option(one) | Type::Boxed(one) | Type::Hashed(one) => is_map(one),
        _ => false,
    }
}

/// Whether it is a map whose keys are written as strings but are none.
pub(super) fn has_typed_key(of: &Type) -> bool {
    let Type::Map(key, _) = of else { return false };
    let Type::Leaf(key) = **key else { return false };
    let samples = key.samples();
    samples.iter().all(|sample| !sample.starts_with('"'))
}

impl Definition {
    /// Whether serde reads it, or a part of it, from a copy.
    pub(super) fn buffers(&self) -> bool {
        let has_flat = self.fields().iter().any(|field| field.is_flat);
        let is_tagged = matches!(&self.shape, Shape::Enum(tagging, _) if *tagging != Tagging::External);
        has_flat || is_tagged || self.is_untagged()
    }

    /// Whether `deny_unknown_fields` stands over something flattened.
    pub(super) fn is_closed_over_flat(&self) -> bool {
        self.is_closed && self.fields().iter().any(|field| field.is_flat)
    }

    fn is_untagged(&self) -> bool {
        match &self.shape {
            Shape::Enum(Tagging::Untagged, _) => true,
            Shape::Enum(_, variants) => {
                variants.iter().any(|variant| variant.role == Role::Untagged && variant.body != Body::Unit)
            }
            _ => false,
        }
    }

    fn tag(&self) -> Option<&str> {
        match &self.shape {
            Shape::Enum(Tagging::Internal(tag) | Tagging::Adjacent(tag, _), _) => Some(tag),
            _ => None,
        }
    }
}
