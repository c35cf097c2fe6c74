//! Smaller types that a type may be replaced by, to find the part of it that matters.

use super::{
    Body, Definition, Field, Leaf, Model, Preset, Role, Secrecy, Shape, Skip, Tagging, Type, Variant, render,
};

/// How many rounds a type is made smaller, at most.
const ROUNDS: usize = 40;
/// How many smaller types are tried at once, since they are compiled together.
const BATCH: usize = 60;

/// The smallest type found that has the fault of `model`. In each round `find` gets types with one thing less in batches,
/// the smallest first, and returns the position of the first one with the fault.
pub fn shrink(mut model: Model, mut find: impl FnMut(&[Model]) -> Option<usize>) -> Model {
    for _ in 0..ROUNDS {
        let mut candidates = reductions(&model);
        candidates.sort_by_cached_key(|candidate| (render(candidate).len(), render(candidate)));
        candidates.dedup_by_key(|candidate| render(candidate));
        let found = candidates.chunks_mut(BATCH).find_map(|batch| {
            for (number, candidate) in batch.iter_mut().enumerate() {
                candidate.name = format!("s{number}");
            }
            find(batch).map(|position| batch[position].clone())
        });
        match found {
            Some(smaller) => model = smaller,
            None => break,
        }
    }
    model
}

/// Every type that is `model` with one thing less.
fn reductions(model: &Model) -> Vec<Model> {
    let mut found = Vec::new();
    for at in 0..model.definitions.len() {
        let mut add = |change: &dyn Fn(&mut Definition)| {
            let mut smaller = model.clone();
            change(&mut smaller.definitions[at]);
            if smaller != *model {
                found.push(smaller);
            }
        };
        let definition = &model.definitions[at];
        add(&|definition| definition.doc = None);
        add(&|definition| definition.rename_all = None);
        add(&|definition| definition.rename_fields = None);
        add(&|definition| definition.is_closed = false);
        add(&|definition| definition.has_default = false);
        match &definition.shape {
            Shape::Struct(fields) => {
                for number in 0..fields.len() {
                    add(&|definition| {
                        if let Shape::Struct(fields) = &mut definition.shape {
                            fields.remove(number);
                        }
                    });
                }
                for field in fields.iter().filter(|_| !definition.is_generic) {
                    if let Type::Named(far, None) = field.of
                        && (at > 0 || is_tool(&model.definitions[far]))
                    {
                        become_inner(model, &field.of, &mut add);
                    }
                }
                of_fields(fields.len(), &mut add, &|definition, number| match &mut definition.shape {
                    Shape::Struct(fields) => fields.get_mut(number),
                    _ => None,
                });
            }
            Shape::Tuple(fields) => {
                for field in fields {
                    add(&|definition| {
                        definition.shape = Shape::Newtype(Box::new(field.clone()), false);
                    });
                }
                of_fields(fields.len(), &mut add, &|definition, number| match &mut definition.shape {
                    Shape::Tuple(fields) => fields.get_mut(number),
                    _ => None,
                });
            }
            Shape::Newtype(field, _) => {
                let inner = field.of.clone();
                become_inner(model, &inner, &mut add);
            }
            Shape::From(via) | Shape::TryFrom(via) => {
                let via = via.clone();
                add(&|definition| {
                    definition.shape = Shape::Newtype(Box::new(Field::new("0", via.clone())), false);
                });
                become_inner(model, &via, &mut add);
            }
            Shape::Enum(_, variants) => of_variants(variants, &mut add),
            Shape::Unit => {}
        }
    }
    found.into_iter().map(without_unused).collect()
}

type Add<'a> = dyn FnMut(&dyn Fn(&mut Definition)) + 'a;

/// Whether the definition can be a tool.
fn is_tool(definition: &Definition) -> bool {
    matches!(definition.shape, Shape::Struct(_) | Shape::Enum(Tagging::Internal(_), _))
}

/// A type that holds another type becomes that type.
fn become_inner(model: &Model, inner: &Type, add: &mut Add<'_>) {
    if let Type::Named(at, None) = inner {
        let far = model.definitions[*at].clone();
        add(&|definition| {
            let name = definition.name.clone();
            *definition = Definition { name, ..far.clone() };
        });
    }
}

fn of_variants(variants: &[Variant], add: &mut Add<'_>) {
    fn of(definition: &mut Definition) -> &mut Vec<Variant> {
        match &mut definition.shape {
            Shape::Enum(_, variants) => variants,
            _ => unreachable!("its variants were just counted"),
        }
    }
    for number in 0..variants.len() {
        if variants.len() > 1 {
            add(&|definition| {
                of(definition).remove(number);
            });
        }
        add(&|definition| of(definition)[number].doc = None);
        add(&|definition| of(definition)[number].rename = None);
        add(&|definition| of(definition)[number].aliases.clear());
        add(&|definition| of(definition)[number].role = Role::Plain);
        add(&|definition| {
            let variant = &mut of(definition)[number];
            if let Body::Tuple(fields) = &variant.body {
                variant.body = Body::Newtype(Box::new(fields[0].clone()));
            }
        });
        let count = variants[number].body.fields().len();
        for field in 0..count {
            add(&|definition| {
                if let Body::Struct(fields) = &mut of(definition)[number].body {
                    fields.remove(field);
                }
            });
        }
        of_fields(count, add, &|definition, field| of(definition)[number].body.fields_mut().get_mut(field));
    }
}

fn of_fields(count: usize, add: &mut Add<'_>, field: &dyn Fn(&mut Definition, usize) -> Option<&mut Field>) {
    let changes: &[fn(&mut Field)] = &[
        |field| field.doc = None,
        |field| field.rename = None,
        |field| field.aliases.clear(),
        |field| field.default = if field.with.is_some() { field.default.clone() } else { Preset::None },
        |field| field.skip = Skip::Never,
        |field| field.rule = None,
        |field| field.is_rule_ours = false,
        |field| field.secrecy = Secrecy::None,
        |field| {
            if field.with.take().is_some() {
                field.default = Preset::None;
            }
        },
        |field| {
            if !field.is_flat {
                field.of = Type::Leaf(Leaf::Bool);
                (field.with, field.rule, field.default) = (None, None, Preset::None);
                field.skip = Skip::Never;
            }
        },
        |field| {
            if field.with.is_none() && field.skip == Skip::Never {
                simplify(&mut field.of, field.is_flat);
                (field.rule, field.default) = (None, Preset::None);
            }
        },
    ];
    for number in 0..count {
        for change in changes {
            add(&|definition| {
                if let Some(field) = field(definition, number) {
                    change(field);
                }
            });
        }
    }
}

/// One layer less. What is flattened stays what can be flattened, and a type holds itself only as it did.
fn simplify(of: &mut Type, is_flat: bool) {
    let simpler = match of {
        Type::Option(one) if matches!(**one, Type::Boxed(_)) && !is_flat => return,
        Type::Option(one) | Type::Hashed(one) => one,
        Type::Boxed(one) if is_flat => one,
        Type::Boxed(one) | Type::List(one) | Type::Set(one) | Type::Array(one, _) | Type::Map(_, one)
            if !is_flat && !matches!(**one, Type::Named(..)) =>
        {
            one
        }
        Type::Tuple(items) if items.len() > 1 => {
            items.pop();
            return;
        }
        Type::Tuple(items) if items.len() == 1 => &mut items[0],
        _ => return,
    };
    *of = std::mem::replace(simpler, Type::Parameter);
}

/// The model without the definitions that nothing uses, which keep their places.
fn without_unused(mut model: Model) -> Model {
    let mut used = vec![false; model.definitions.len()];
    let mut next = vec![0];
    while let Some(at) = next.pop() {
        if std::mem::replace(&mut used[at], true) {
            continue;
        }
        let mut types = model.definitions[at].uses();
        while let Some(one) = types.pop() {
            if let Type::Named(at, _) = one {
                next.push(*at);
            }
            types.extend(one.inner());
        }
    }
    let places: Vec<usize> = used
        .iter()
        .scan(0, |count, used| {
            let at = *count;
            *count += usize::from(*used);
            Some(at)
        })
        .collect();
    let mut number = 0;
    model.definitions.retain(|_| {
        number += 1;
        used[number - 1]
    });
    for definition in &mut model.definitions {
        for of in definition.uses_mut() {
            renumber(of, &places);
        }
    }
    model
}

fn renumber(of: &mut Type, places: &[usize]) {
    if let Type::Named(at, _) = of {
        *at = places[*at];
    }
    match of {
        Type::Leaf(_) | Type::Parameter | Type::Named(_, None) => {}
        Type::Option(one)
        | Type::Boxed(one)
        | Type::List(one)
        | Type::Set(one)
        | Type::Array(one, _)
        | Type::Hashed(one)
        | Type::Named(_, Some(one)) => renumber(one, places),
        Type::Map(key, one) => {
            renumber(key, places);
            renumber(one, places);
        }
        Type::Tuple(items) => items.iter_mut().for_each(|item| renumber(item, places)),
    }
}

#[cfg(test)]
mod tests {
    use super::{shrink, without_unused};
    use crate::choices::{Choices, stream};
    use crate::types::{Features, Model, Preset, Type, make, render};

    fn lines(model: &Model) -> usize {
        render(model).lines().count()
    }

    /// A large type for which `holds`.
    fn large(holds: &dyn Fn(&Model) -> bool) -> Model {
        let made =
            |seed| make(&format!("t{seed}"), &mut Choices::new(&stream(seed, 4_000)), &Features::default());
        (0..2_000)
            .map(made)
            .map(without_unused)
            .find(|model| lines(model) > 50 && holds(model))
            .expect("there are many")
    }

    #[test]
    fn a_type_with_a_fault_shrinks_to_a_few_lines() {
        let has_alias_of_option = |model: &Model| {
            let fields = model.definitions.iter().flat_map(|definition| definition.fields());
            fields
                .into_iter()
                .any(|field| !field.aliases.is_empty() && field.is_option() && field.default == Preset::None)
        };
        let flattens_map = |model: &Model| {
            let fields = model.definitions.iter().flat_map(|definition| definition.fields());
            fields.into_iter().any(|field| field.is_flat && matches!(field.of, Type::Map(..)))
        };
        let faults: [&dyn Fn(&Model) -> bool; 2] = [&has_alias_of_option, &flattens_map];
        for is_faulty in faults {
            let mut rounds = 0;
            let smallest = shrink(large(is_faulty), |candidates| {
                rounds += 1;
                candidates.iter().position(is_faulty)
            });
            assert!(is_faulty(&smallest) && rounds > 1, "{}", render(&smallest));
            assert!(lines(&smallest) <= 16, "{}", render(&smallest));
        }
    }

    #[test]
    fn a_type_without_the_fault_stays_as_it_is() {
        let model = large(&|_| true);
        assert_eq!(shrink(model.clone(), |_| None), model);
    }
}
