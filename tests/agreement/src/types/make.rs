//! Random types, such that rustc, serde and schemars take every one of them.

use super::excuse::{has_typed_key, is_wide};
use super::{
    Body, Definition, Field, Leaf, Model, PATTERNS, Preset, Role, Rule, Shape, Skip, Style, Tagging, Type,
    Variant, With, Writer,
};
use crate::choices::Choices;

/// Names of fields; each definition has some to itself, so that a flattened one has none of its neighbours'.
const WORDS: &[&str] = &[
    "name",
    "page",
    "limit_to",
    "due_at",
    "state",
    "x",
    "y",
    "kind_of",
    "size",
    "owner",
    "first_part",
    "label",
    "note",
    "count",
    "parts",
    "price",
    "color",
    "weight",
    "place",
    "from_day",
    "to_day",
    "query",
    "lang",
    "width",
    "height",
    "depth",
    "id_of",
    "text",
    "flag",
    "mode",
    "level",
    "speed",
    "angle",
    "street",
    "city",
    "zip_code",
    "mail",
    "phone",
    "tags_of",
    "items",
    "rows",
    "cols",
    "value",
    "next_one",
    "left",
    "right",
    "upper",
    "lower",
];

const VARIANTS: &[&str] = &[
    "Cash",
    "CardNumber",
    "Nothing",
    "Many",
    "ByName",
    "Fast",
    "VerySlow",
    "Red",
    "Green",
    "Open",
    "Closed",
    "Draft",
    "InReview",
    "Up",
    "Down",
    "Other",
];

const TAGS: &[&str] = &["kind", "op", "is"];

/// What a generated type may have; all of it, unless something is switched off.
#[derive(Debug, Clone, Default)]
pub struct Features {
    /// What is switched off, by name: `flatten`, `alias`, `other`, …
    pub off: Vec<String>,
}

impl Features {
    pub(super) fn has(&self, name: &str) -> bool {
        !self.off.iter().any(|off| off == name)
    }
}

/// A tool with all its types.
pub fn make(name: &str, choices: &mut Choices<'_>, features: &Features) -> Model {
    let budget = 1 + choices.below(5);
    let mut maker = Maker { choices, features, definitions: Vec::new(), open: Vec::new(), budget };
    maker.root();
    let mut definitions = maker.definitions;
    "Root".clone_into(&mut definitions[0].name);
    Model { name: name.to_owned(), definitions }
}

/// What a definition is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Any,
    /// A struct with named fields.
    Struct,
    /// What can be flattened.
    Flat,
    /// An enum of unit variants.
    PlainEnum,
}

struct Maker<'m, 'c> {
    choices: &'m mut Choices<'c>,
    features: &'m Features,
    definitions: Vec<Definition>,
    /// The definitions being made, which only a `Box` or a list may hold.
    open: Vec<usize>,
    budget: usize,
}

impl Maker<'_, '_> {
    fn once_in(&mut self, times: usize) -> bool {
        self.choices.once_in(times)
    }

    fn allows(&mut self, feature: &str, times: usize) -> bool {
        let wanted = self.choices.once_in(times);
        wanted && self.features.has(feature)
    }

    fn root(&mut self) {
        let at = self.begin();
        let shape = match self.choices.below(16) {
            0 | 1 if self.features.has("root enum") => {
                let tag = (*self.choices.pick(TAGS)).to_owned();
                Shape::Enum(Tagging::Internal(tag.clone()), self.variants(at, &Tagging::Internal(tag), false))
            }
            2 => {
                let inner = self.definition(Wanted::Struct);
                let transparent = self.once_in(2);
                Shape::Newtype(Box::new(Field::new("inner", Type::Named(inner, None))), transparent)
            }
            3 => Shape::From(Type::Named(self.definition(Wanted::Struct), None)),
            4 => Shape::TryFrom(Type::Named(self.definition(Wanted::Struct), None)),
            _ => Shape::Struct(self.fields(at, 5, true)),
        };
        self.finish(at, shape);
    }

    /// A place for a definition that is about to be made.
    fn begin(&mut self) -> usize {
        let at = self.definitions.len();
        self.budget = self.budget.saturating_sub(1);
        let doc = self.doc(3);
        self.definitions.push(Definition {
            name: format!("D{at}"),
            is_generic: false,
            doc,
            rename_all: None,
            rename_fields: None,
            is_closed: false,
            has_default: false,
            shape: Shape::Unit,
        });
        self.open.push(at);
        at
    }

    fn finish(&mut self, at: usize, shape: Shape) -> usize {
        self.definitions[at].shape = shape;
        let styled = matches!(self.definitions[at].shape, Shape::Struct(_) | Shape::Enum(..));
        if styled && self.allows("rename_all", 4) {
            self.definitions[at].rename_all = Some(*self.choices.pick(Style::ALL));
        }
        if matches!(self.definitions[at].shape, Shape::Enum(..)) && self.allows("rename_all", 6) {
            self.definitions[at].rename_fields = Some(*self.choices.pick(Style::ALL));
        }
        if styled && self.allows("deny_unknown_fields", 6) {
            self.definitions[at].is_closed = true;
        }
        if matches!(&self.definitions[at].shape, Shape::Struct(fields)
            if !self.definitions[at].is_generic && fields.iter().all(|field| self.is_known(&field.of) && !field.is_flat))
            && self.allows("default of all", 8)
        {
            self.definitions[at].has_default = true;
        }
        self.open.retain(|open| *open != at);
        at
    }

    fn definition(&mut self, wanted: Wanted) -> usize {
        let at = self.begin();
        let shape = match wanted {
            Wanted::PlainEnum => Shape::Enum(Tagging::External, self.plain_variants(at)),
            Wanted::Struct => Shape::Struct(self.fields(at, 4, false)),
            Wanted::Flat if self.once_in(2) && self.features.has("flatten enum") => self.choice(at, true),
            Wanted::Flat => Shape::Struct(self.fields(at, 3, false)),
            Wanted::Any => match self.choices.below(12) {
                0..=3 => self.choice(at, false),
                4 => Shape::Enum(Tagging::External, self.plain_variants(at)),
                5 => Shape::Tuple(self.places(2)),
                6 => {
                    let of = self.of(2);
                    // Of a transparent type that holds itself schemars never ends to write the schema.
                    let is_transparent = self.choices.once_in(2) && !holds(&of, at);
                    Shape::Newtype(Box::new(Field::new("0", of)), is_transparent)
                }
                7 => Shape::From(self.of(2)),
                8 if self.once_in(2) => Shape::Unit,
                8 => Shape::TryFrom(self.of(2)),
                _ => Shape::Struct(self.fields(at, 4, false)),
            },
        };
        self.finish(at, shape)
    }

    /// An enum, such that it can be flattened if `flat`.
    fn choice(&mut self, at: usize, flat: bool) -> Shape {
        let tag = || TAGS[at % TAGS.len()].to_owned();
        let tagging = match self.choices.below(4) {
            1 if self.features.has("internal") => Tagging::Internal(tag()),
            2 if self.features.has("adjacent") => Tagging::Adjacent(tag(), "content_of".to_owned()),
            3 if self.features.has("untagged") => Tagging::Untagged,
            _ => Tagging::External,
        };
        let mut variants = self.variants(at, &tagging, flat);
        if tagging == Tagging::Untagged {
            // Serde takes the first variant whose types fit and knows no rules, so what breaks those of one is not taken for a
            // later one.
            let fields = variants.iter_mut().flat_map(|variant| variant.body.fields_mut());
            fields.for_each(|field| field.rule = None);
        }
        Shape::Enum(tagging, variants)
    }

    fn plain_variants(&mut self, at: usize) -> Vec<Variant> {
        let count = 1 + self.choices.below(4);
        let mut variants: Vec<_> = (0..count).map(|number| self.variant(at + number, Body::Unit)).collect();
        if count > 1 && self.allows("other", 8) {
            variants[count - 1].role = Role::Other;
            variants[count - 1].aliases.clear();
        }
        variants
    }

    fn variants(&mut self, at: usize, tagging: &Tagging, flat: bool) -> Vec<Variant> {
        let count = 1 + self.choices.below(4);
        let mut variants = Vec::new();
        for number in 0..count {
            let body = self.body(at, tagging, flat);
            variants.push(self.variant(at + number, body));
        }
        let tagged = *tagging != Tagging::Untagged;
        if tagged && count > 1 && self.allows("other", 6) && !(flat && *tagging == Tagging::External) {
            let last = &mut variants[count - 1];
            (last.role, last.body) = (Role::Other, Body::Unit);
            last.aliases.clear();
        } else if tagged && count > 1 && !flat && at > 0 && self.allows("untagged variant", 8) {
            variants[count - 1].role = Role::Untagged;
            variants[count - 1].aliases.clear();
        } else if count > 2 && self.allows("skip variant", 10) {
            variants[0].role = Role::Skipped;
        }
        variants
    }

    fn variant(&mut self, number: usize, body: Body) -> Variant {
        let name = VARIANTS[number % VARIANTS.len()];
        Variant {
            name: name.to_owned(),
            doc: self.doc(4),
            rename: self.allows("rename", 7).then(|| format!("{name}-{number}")),
            aliases: if self.allows("alias of variant", 10) {
                vec![format!("also{number}")]
            } else {
                Vec::new()
            },
            role: Role::Plain,
            body,
        }
    }

    fn body(&mut self, at: usize, tagging: &Tagging, flat: bool) -> Body {
        let named = |maker: &mut Self| {
            let fields = maker.fields(at, 3, false);
            Body::Struct(fields)
        };
        let object = |maker: &mut Self| {
            if maker.budget == 0 {
                return named(maker);
            }
            Body::Newtype(Box::new(Field::new("0", Type::Named(maker.definition(Wanted::Struct), None))))
        };
        match (tagging, self.choices.below(6)) {
            (Tagging::Internal(_), 0) => Body::Unit,
            (Tagging::Internal(_), 1) => object(self),
            (Tagging::Internal(_), _) => named(self),
            (Tagging::Untagged, 0) if flat => object(self),
            (Tagging::Untagged, _) if flat => named(self),
            (_, 0) if !flat || matches!(tagging, Tagging::Adjacent(..)) => Body::Unit,
            (_, 1 | 2) => Body::Newtype(Box::new(self.place())),
            (_, 3) => Body::Tuple(self.places(2)),
            _ => named(self),
        }
    }

    /// Up to `most` named fields, with words that no other definition has.
    fn fields(&mut self, at: usize, most: usize, of_tool: bool) -> Vec<Field> {
        let count = self.choices.below(most + 1).max(1);
        let mut fields = Vec::new();
        let mut is_map_taken = false;
        for number in 0..count {
            let word = WORDS[(at * 6 + number) % WORDS.len()];
            if self.allows("flatten", 7) {
                let flat = self.flattened(word, &mut is_map_taken);
                fields.extend(flat);
                continue;
            }
            let field = self.field(word, of_tool);
            fields.push(field);
        }
        // What a variant would be that is not there, the map takes, and its members may be of any type.
        let is_loose = |field: &Field| field.is_flat && self.is_loose(&field.of);
        if fields.iter().any(is_loose) {
            fields.retain(|field| !(field.is_flat && self.holds_map_of_anything(&field.of)));
        }
        // What is written and not read the map reads, so that serde would write a member of this name twice.
        if fields.iter().any(|field| field.is_flat && self.holds_map(&field.of)) {
            let written = fields.iter_mut().filter(|field| field.skip == Skip::Reading);
            written.for_each(|field| field.skip = Skip::Both);
        }
        fields
    }

    /// Whether it is such a map, or a struct in which one is flattened.
    fn holds_map_of_anything(&self, of: &Type) -> bool {
        match of {
            Type::Map(_, value) => **value == Type::Leaf(Leaf::Value),
            Type::Option(one) | Type::Boxed(one) => self.holds_map_of_anything(one),
            Type::Named(at, _) => match &self.definitions[*at].shape {
                Shape::Struct(fields) => {
                    fields.iter().any(|field| field.is_flat && self.holds_map_of_anything(&field.of))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether it is a map, or something in which one is flattened.
    fn holds_map(&self, of: &Type) -> bool {
        match of {
            Type::Map(..) => true,
            Type::Option(one) | Type::Boxed(one) => self.holds_map(one),
            Type::Named(at, _) => {
                let fields = self.definitions[*at].fields().into_iter();
                fields.filter(|field| field.is_flat).any(|field| self.holds_map(&field.of))
            }
            _ => false,
        }
    }

    /// Whether it is an enum.
    fn is_loose(&self, of: &Type) -> bool {
        match of {
            Type::Named(at, _) => matches!(self.definitions[*at].shape, Shape::Enum(..)),
            Type::Option(one) | Type::Boxed(one) => self.is_loose(one),
            _ => false,
        }
    }

    fn flattened(&mut self, word: &str, is_map_taken: &mut bool) -> Option<Field> {
        let mut of = match self.choices.below(5) {
            // A second map would have all the members of the first, and so would a map its neighbours'.
            0 if !*is_map_taken => {
                *is_map_taken = true;
                let value =
                    Type::Leaf(*self.choices.pick(&[Leaf::U8, Leaf::String, Leaf::Bool, Leaf::Value]));
                Type::Map(Box::new(Type::Leaf(Leaf::String)), Box::new(value))
            }
            _ if self.budget == 0 || *is_map_taken => return None,
            _ => Type::Named(self.definition(Wanted::Flat), None),
        };
        if self.allows("flatten Option", 3) {
            of = of.optional();
        } else if self.once_in(8) {
            of = Type::Boxed(Box::new(of));
        }
        Some(Field { is_flat: true, ..Field::new(word, of) })
    }

    /// A field without a name, in a tuple.
    fn place(&mut self) -> Field {
        let mut field = Field::new("0", self.of(1));
        field.rule = self.rule(&field.of);
        field
    }

    fn places(&mut self, least: usize) -> Vec<Field> {
        let count = least + self.choices.below(2);
        let mut fields: Vec<Field> = (0..count).map(|_| self.place()).collect();
        if self.allows("default in tuple", 6) {
            let end = fields.last_mut().expect("a tuple has places");
            if has_default(&end.of) && end.rule.is_none() {
                end.default = Preset::Plain;
            }
        }
        fields
    }

    fn field(&mut self, word: &str, of_tool: bool) -> Field {
        let mut field = Field::new(word, self.of(0));
        if !matches!(field.of, Type::Option(_)) && self.once_in(3) {
            field.of = field.of.optional();
        }
        field.doc = self.doc(3);
        match self.choices.below(24) {
            4 if self.features.has("recursion") => {
                if let Some(at) = self.open.last().copied().filter(|at| !self.definitions[*at].is_generic) {
                    field.of = Type::Boxed(Box::new(Type::Named(at, None))).optional();
                }
            }
            0 if self.features.has("with") => {
                (field.of, field.with) = (Type::Leaf(Leaf::U64), Some(With::Digits));
            }
            1 if self.features.has("double option") => {
                let leaf = Type::Leaf(*self.choices.pick(&[Leaf::U8, Leaf::String, Leaf::Date]));
                (field.of, field.with) = (leaf.optional().optional(), Some(With::Double));
                field.default = Preset::Plain;
            }
            2 if self.features.has("skip") => {
                field.of = Type::Leaf(Leaf::U8);
                field.skip = *self.choices.pick(&[Skip::Both, Skip::Reading, Skip::Writing]);
            }
            3 if matches!(field.of, Type::Option(_)) => field.skip = Skip::WritingNone,
            _ => {
                field.rule = self.rule(&field.of);
                field.is_rule_ours = of_tool && self.once_in(2);
            }
        }
        if self.allows("rename", 7) {
            let end = *self.choices.pick(&["-of", "~", "/y", "$", "Ü", " z"]);
            field.rename = Some(format!("{word}{end}"));
        }
        if field.is_read() && self.allows("alias", 6) {
            field.aliases =
                (0..=self.choices.below(2)).map(|number| format!("{word}_also{number}")).collect();
        }
        if field.is_read() && field.default == Preset::None {
            field.default = self.preset(&field);
        }
        field
    }

    fn preset(&mut self, field: &Field) -> Preset {
        match self.choices.below(10) {
            0 if has_default(&field.of) && field.rule.is_none() => Preset::Plain,
            1 if self.features.has("default by function") && self.is_known(&field.of) => {
                let model = Model { name: String::new(), definitions: self.definitions.clone() };
                Preset::Function(Writer::new(&model).field(field, None, self.choices, 0).to_string())
            }
            _ => Preset::None,
        }
    }

    fn rule(&mut self, of: &Type) -> Option<Rule> {
        if !self.allows("rules", 3) {
            return None;
        }
        let of = if let Type::Option(inner) = of { inner } else { of };
        match of {
            Type::Leaf(Leaf::I8 | Leaf::I16 | Leaf::I32 | Leaf::I64 | Leaf::F32 | Leaf::F64) => {
                Some(*self.choices.pick(&[(-5, 5), (0, 100), (1, 1)]))
                    .map(|(least, most)| Rule::Range(least, most))
            }
            Type::Leaf(Leaf::U8 | Leaf::U16 | Leaf::U32 | Leaf::U64 | Leaf::Usize) => {
                Some(*self.choices.pick(&[(1, 10), (0, 100)])).map(|(least, most)| Rule::Range(least, most))
            }
            Type::Leaf(Leaf::String) if self.once_in(2) => {
                Some(Rule::Pattern(self.choices.below(PATTERNS.len())))
            }
            Type::Leaf(Leaf::String) => Some(Rule::Length(1, 4)),
            Type::List(item) if **item == Type::Leaf(Leaf::String) && self.once_in(2) => {
                Some(Rule::ItemPattern(self.choices.below(PATTERNS.len())))
            }
            // A list of what holds the list itself could not be as short as it has to be somewhere.
            Type::List(item) if !matches!(**item, Type::Named(..)) => Some(Rule::Length(1, 3)),
            _ => None,
        }
    }

    fn of(&mut self, depth: usize) -> Type {
        let choice = self.choices.below(if depth > 2 { 9 } else { 22 });
        match choice {
            0..=8 => Type::Leaf(*self.choices.pick(Leaf::ALL)),
            9 => self.of(depth + 1).optional(),
            10 | 11 => Type::List(Box::new(self.of(depth + 1))),
            12 => Type::Set(Box::new(self.key())),
            13 => Type::Array(Box::new(self.of(depth + 1)), self.choices.below(4)),
            14 => Type::Tuple((0..=self.choices.below(3)).map(|_| self.of(depth + 1)).collect()),
            15 | 16 => Type::Map(Box::new(self.key()), Box::new(self.of(depth + 1))),
            17 if !self.open.is_empty() && self.features.has("recursion") => self.recursion(),
            18 if self.budget > 1 && self.features.has("generic") => self.generic(depth),
            _ if self.budget > 0 => Type::Named(self.definition(Wanted::Any), None),
            _ => Type::Leaf(*self.choices.pick(Leaf::ALL)),
        }
    }

    fn recursion(&mut self) -> Type {
        let open: Vec<usize> =
            self.open.iter().copied().filter(|at| !self.definitions[*at].is_generic).collect();
        let Some(at) = open.last().copied() else { return Type::Leaf(Leaf::Bool) };
        // Each goes one level down. An `Option<Box<…>>` does so in a named field only: `field` makes those.
        let far = Box::new(Type::Named(at, None));
        if self.once_in(2) { Type::List(far) } else { Type::Map(Box::new(Type::Leaf(Leaf::String)), far) }
    }

    fn generic(&mut self, depth: usize) -> Type {
        let at = self.begin();
        self.definitions[at].is_generic = true;
        let mut fields = self.fields(at, 3, false);
        let word = WORDS[(at * 6 + 5) % WORDS.len()];
        let of = if self.once_in(2) { Type::Parameter.optional() } else { Type::Parameter };
        fields.push(Field::new(word, of));
        self.finish(at, Shape::Struct(fields));
        Type::Named(at, Some(Box::new(self.of(depth + 2))))
    }

    fn key(&mut self) -> Type {
        if self.budget > 0 && self.once_in(3) {
            return Type::Named(self.definition(Wanted::PlainEnum), None);
        }
        let keys: Vec<Leaf> = Leaf::ALL.iter().copied().filter(|leaf| leaf.is_key()).collect();
        Type::Leaf(*self.choices.pick(&keys))
    }

    fn doc(&mut self, times: usize) -> Option<String> {
        self.once_in(times).then(|| {
            (*self.choices.pick(&["What it is.", "In two\nlines of text.", "With `code` and | bars."]))
                .to_owned()
        })
    }

    /// Whether all that the type uses is made already, and serde can read it.
    fn is_known(&self, of: &Type) -> bool {
        let (mut buffers, mut is_hard) = (false, false);
        let mut seen = Vec::new();
        let mut next = vec![of];
        while let Some(one) = next.pop() {
            is_hard |= is_wide(one) || has_typed_key(one);
            match one {
                Type::Parameter => return false,
                Type::Named(at, _) if self.open.contains(at) => return false,
                Type::Named(at, _) if !seen.contains(at) => {
                    seen.push(*at);
                    if self.definitions[*at].is_closed_over_flat() {
                        return false;
                    }
                    buffers |= self.definitions[*at].buffers();
                    let is_argument =
                        |used: &&Type| **used != Type::Parameter && **used != Type::Parameter.optional();
                    next.extend(self.definitions[*at].uses().into_iter().filter(is_argument));
                }
                _ => {}
            }
            next.extend(one.inner());
        }
        !(buffers && is_hard)
    }
}

/// Whether the definition at `at` is a part of the type.
fn holds(of: &Type, at: usize) -> bool {
    matches!(of, Type::Named(named, _) if *named == at) || of.inner().into_iter().any(|one| holds(one, at))
}

/// Whether the type has a `Default`.
fn has_default(of: &Type) -> bool {
    match of {
        Type::Leaf(leaf) => leaf.has_default(),
        Type::Option(_) | Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Array(_, 0) => true,
        Type::Boxed(one) | Type::Array(one, _) | Type::Hashed(one) => has_default(one),
        Type::Tuple(items) => items.iter().all(has_default),
        Type::Named(..) | Type::Parameter => false,
    }
}
