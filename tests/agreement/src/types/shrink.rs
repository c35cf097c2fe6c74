//! Smaller types that a type may be replaced by, to find the part of it that matters.

use super::{Body, Definition, Field, Leaf, Model, Preset, Role, Secrecy, Shape, Skip, Type, Variant};

/// Every type that is `model` with one thing less.
pub fn reductions(model: &Model) -> Vec<Model> {
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
                of_fields(fields.len(), &mut add, &|definition, number| match &mut definition.shape {
                    Shape::Struct(fields) => fields.get_mut(number),
                    _ => None,
                });
            }
            Shape::Tuple(fields) => {
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

/// A tool that only holds another type becomes that type.
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
