//! Tools of all kinds in one list: JSON lines, one record each.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read as _};
use std::sync::Arc;

use super::codec::ToolCodec;
use super::error::ValueError;
use super::{ToolValue, Written};

/// How much [`ToolCollection::read`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// The most bytes of a line; a longer one is a [`Problem`], and the lines after it are read. 16 MiB by default.
    pub line_bytes: usize,
    /// The most bytes in all; what comes after them is not read. 256 MiB by default.
    pub total_bytes: usize,
    /// The most records; what comes after them is not read. 100,000 by default.
    pub records: usize,
    /// The most problems that are kept; further ones are counted ([`ToolCollection::problems_left_out`]). 1,000 by
    /// default.
    pub problems: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { line_bytes: 16 << 20, total_bytes: 256 << 20, records: 100_000, problems: 1000 }
    }
}

/// Tools of all kinds, in the order in which they came.
///
/// Lines that are `null` or empty are skipped, so that two files one after the other are a collection again. A line that
/// is no tool is a [`Problem`] and stops nothing; an older form is read, and counted as a [`Deprecation`].
///
/// ```
/// use toolwright_agent::value::ToolCollection;
///
/// let lines = r#"{"tool_type":"WORKFLOW","schema_version":"1.0","name":"report","description":"Writes it.","parameter_schema":{}}
/// null
/// {"tool_type":"GRPC","name":"stream"}
/// {"tool_type":"MCP","schema_version":"2.0","name":"add"}
/// "#;
/// let tools = ToolCollection::from_jsonl(lines);
/// let kinds: Vec<&str> = tools.values().map(|value| value.tool_type()).collect();
/// assert_eq!(kinds, ["WORKFLOW", "GRPC"]);
/// let problem = tools.problems()[0].to_string();
/// assert!(problem.starts_with("line 4: the record has schema version 2.0, but this program reads versions 1.x"), "{problem}");
/// ```
#[derive(Debug, Default)]
pub struct ToolCollection {
    entries: Vec<ToolEntry>,
    problems: Vec<Problem>,
    problems_left_out: usize,
    nulls: usize,
}

/// One tool of a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolEntry {
    /// Where it stands.
    pub place: Place,
    /// The form in which it came.
    pub codec: &'static ToolCodec,
    /// The tool.
    pub value: ToolValue,
}

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The name of the source, such as a file; empty if it has none.
    pub source: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.source {
            "" => write!(f, "line {}", self.line),
            source => write!(f, "{source}:{}", self.line),
        }
    }
}

/// A line that is not in the collection.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {kind}")]
pub struct Problem {
    /// Where it stands.
    pub place: Place,
    /// What is wrong.
    #[source]
    pub kind: ProblemKind,
}

/// Why a line is not in a collection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The record is no tool.
    #[error(transparent)]
    Invalid(#[from] ValueError),
    /// The line is not UTF-8.
    #[error("the line is not UTF-8")]
    NotText,
    /// The cell of a table holds something that no record has.
    #[error("the row holds {what}, which no record has")]
    Cell {
        /// What it holds.
        what: String,
    },
    /// The line is longer than [`ReadLimits::line_bytes`].
    #[error("the line has more than {limit} bytes")]
    LongLine {
        /// The limit.
        limit: usize,
    },
    /// There are more records than [`ReadLimits::records`].
    #[error("there are more than {limit} records; split the file")]
    TooManyRecords {
        /// The limit.
        limit: usize,
    },
    /// There are more bytes than [`ReadLimits::total_bytes`].
    #[error("there are more than {limit} bytes; split the file")]
    TooManyBytes {
        /// The limit.
        limit: usize,
    },
}

/// A name that stands in a collection again. An agent can call one tool of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The name.
    pub name: String,
    /// Where it stands first.
    pub first: Place,
    /// Where it stands again.
    pub again: Place,
    /// Both tools are equal in every member, so that one of them can go.
    pub is_equal: bool,
}

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, first, again, is_equal } = self;
        let advice = if *is_equal { "the records are equal: leave one out" } else { "rename one of them" };
        write!(f, "{again}: the tool {name:?} stands in {first} already; {advice}")
    }
}

/// Records of one older form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecation {
    /// The form.
    pub codec: &'static ToolCodec,
    /// The first record of the form.
    pub first: Place,
    /// How many records have it.
    pub count: usize,
}

impl fmt::Display for Deprecation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { codec, first, count } = self;
        let records = if *count == 1 { "1 record has".to_owned() } else { format!("{count} records have") };
        let note = codec.deprecation().unwrap_or_default();
        write!(f, "{first}: {records} the deprecated form {}; {note}", codec.name())
    }
}

impl ToolCollection {
    /// Reads JSON lines within the default [`ReadLimits`].
    pub fn from_jsonl(text: &str) -> Self {
        let source = Source { name: "".into(), codec: None, limits: ReadLimits::default() };
        let mut collection = Self::default();
        // A text in memory can be read.
        _ = collection.fill(text.as_bytes(), &source);
        collection
    }

    /// Reads JSON lines. `source` is their name in messages. Each record may have its own form, unless `codec` says which
    /// all have. A byte order mark is skipped.
    ///
    /// # Errors
    /// Those of `reader`; what is wrong with lines is in [`ToolCollection::problems`].
    pub fn read(
        source: &str,
        reader: impl BufRead,
        codec: Option<&'static ToolCodec>,
        limits: ReadLimits,
    ) -> io::Result<Self> {
        let mut collection = Self::default();
        collection.fill(reader, &Source { name: source.into(), codec, limits })?;
        Ok(collection)
    }

    fn fill(&mut self, mut reader: impl BufRead, source: &Source) -> io::Result<()> {
        let limits = source.limits;
        let (mut total, mut number) = (0, 0);
        loop {
            number += 1;
            let place = Place { source: source.name.clone(), line: number };
            let left = limits.total_bytes - total;
            // One byte more tells that there is more.
            let most = limits.line_bytes.min(left).saturating_add(1);
            let mut line = Vec::new();
            let length = reader.by_ref().take(most as u64).read_until(b'\n', &mut line)?;
            if length == 0 {
                return Ok(());
            }
            if length > left {
                self.add_problem(place, ProblemKind::TooManyBytes { limit: limits.total_bytes }, limits);
                return Ok(());
            }
            total += length;
            if line.last() != Some(&b'\n') && length > limits.line_bytes {
                self.add_problem(place, ProblemKind::LongLine { limit: limits.line_bytes }, limits);
                total += skip_line(&mut reader, limits.total_bytes.saturating_sub(total))?;
                continue;
            }
            let Ok(text) = std::str::from_utf8(&line) else {
                self.add_problem(place, ProblemKind::NotText, limits);
                continue;
            };
            let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
            match text.trim() {
                "" => {}
                "null" => self.nulls += 1,
                _ if self.entries.len() == limits.records => {
                    self.add_problem(place, ProblemKind::TooManyRecords { limit: limits.records }, limits);
                    return Ok(());
                }
                record => self.add(place, record, source),
            }
        }
    }

    fn add(&mut self, place: Place, record: &str, source: &Source) {
        let codec = source.codec.map_or_else(|| ToolCodec::detect(record), Ok);
        match codec.and_then(|codec| Ok((codec, codec.decode(record)?))) {
            Ok((codec, value)) => self.entries.push(ToolEntry { place, codec, value }),
            Err(error) => self.add_problem(place, error.into(), source.limits),
        }
    }

    fn add_problem(&mut self, place: Place, kind: ProblemKind, limits: ReadLimits) {
        if self.problems.len() < limits.problems {
            self.problems.push(Problem { place, kind });
        } else {
            self.problems_left_out += 1;
        }
    }

    /// Adds what another collection has, after what this one has.
    pub fn append(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.problems.extend(other.problems);
        self.problems_left_out += other.problems_left_out;
        self.nulls += other.nulls;
    }

    /// The tools with their places.
    pub fn entries(&self) -> &[ToolEntry] {
        &self.entries
    }

    /// The tools.
    pub fn values(&self) -> impl Iterator<Item = &ToolValue> {
        self.entries.iter().map(|entry| &entry.value)
    }

    /// The lines that are no tools.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// How many more there are than [`ReadLimits::problems`].
    pub fn problems_left_out(&self) -> usize {
        self.problems_left_out
    }

    /// How many lines are `null`.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// The names that come again, each with the place before it.
    pub fn duplicates(&self) -> Vec<Duplicate> {
        let mut first: HashMap<String, &ToolEntry> = HashMap::new();
        let mut found = Vec::new();
        for entry in &self.entries {
            let Some(name) = entry.value.name() else { continue };
            match first.get(&name) {
                None => drop(first.insert(name, entry)),
                Some(known) => found.push(Duplicate {
                    name,
                    first: known.place.clone(),
                    again: entry.place.clone(),
                    is_equal: known.value == entry.value,
                }),
            }
        }
        found
    }

    /// The older forms among the records, one entry a form.
    pub fn deprecations(&self) -> Vec<Deprecation> {
        let mut found: Vec<Deprecation> = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.codec.is_deprecated()) {
            match found.iter_mut().find(|known| known.codec == entry.codec) {
                Some(known) => known.count += 1,
                None => found.push(Deprecation { codec: entry.codec, first: entry.place.clone(), count: 1 }),
            }
        }
        found
    }

    /// The collection as JSON lines in the current form.
    pub fn to_jsonl(&self) -> String {
        self.values().map(|value| value.to_json() + "\n").collect()
    }

    /// The collection as JSON lines in a form of your choice, with what each record does not hold.
    ///
    /// # Errors
    /// [`ToolCodec::encode`], with the place of the record.
    pub fn encode(&self, codec: &ToolCodec) -> Result<Vec<Written>, Problem> {
        let encode = |entry: &ToolEntry| {
            codec
                .encode(&entry.value)
                .map_err(|error| Problem { place: entry.place.clone(), kind: error.into() })
        };
        self.entries.iter().map(encode).collect()
    }
}

impl FromIterator<ToolValue> for ToolCollection {
    /// The values as if each stood in a line of its own, in the current form.
    fn from_iter<I: IntoIterator<Item = ToolValue>>(values: I) -> Self {
        let entry = |(index, value)| ToolEntry {
            place: Place { source: "".into(), line: index + 1 },
            codec: &ToolCodec::all()[0],
            value,
        };
        Self { entries: values.into_iter().enumerate().map(entry).collect(), ..Self::default() }
    }
}

/// Records that come one by one, such as the rows of a table.
#[cfg(feature = "arrow")]
pub(super) struct Rows {
    source: Source,
    number: usize,
    collection: ToolCollection,
}

#[cfg(feature = "arrow")]
impl Rows {
    pub(super) fn new(name: &str, limits: ReadLimits) -> Self {
        let source = Source { name: name.into(), codec: None, limits };
        Self { source, number: 0, collection: ToolCollection::default() }
    }

    /// Adds a record; false if it is one too many.
    pub(super) fn add(&mut self, record: &str) -> bool {
        let (place, limits) = (self.next(), self.source.limits);
        if self.collection.entries.len() == limits.records {
            let kind = ProblemKind::TooManyRecords { limit: limits.records };
            self.collection.add_problem(place, kind, limits);
            return false;
        }
        if record.len() > limits.line_bytes {
            let kind = ProblemKind::LongLine { limit: limits.line_bytes };
            self.collection.add_problem(place, kind, limits);
        } else {
            self.collection.add(place, record, &self.source);
        }
        true
    }

    /// Counts a row without a record.
    pub(super) fn add_null(&mut self) -> bool {
        self.number += 1;
        self.collection.nulls += 1;
        true
    }

    /// Notes a row that holds something else.
    pub(super) fn add_unreadable(&mut self, what: &str) -> bool {
        let place = self.next();
        let kind = ProblemKind::Cell { what: what.to_owned() };
        self.collection.add_problem(place, kind, self.source.limits);
        true
    }

    pub(super) fn finish(self) -> ToolCollection {
        self.collection
    }

    fn next(&mut self) -> Place {
        self.number += 1;
        Place { source: self.source.name.clone(), line: self.number }
    }
}

/// Where lines come from, and how they are read.
struct Source {
    name: Arc<str>,
    codec: Option<&'static ToolCodec>,
    limits: ReadLimits,
}

/// Reads up to the end of the line, or `most` bytes, and keeps nothing. Returns how many bytes that were.
fn skip_line(reader: &mut impl BufRead, most: usize) -> io::Result<usize> {
    let mut skipped = 0;
    while skipped < most {
        let available = reader.fill_buf()?;
        if available.is_empty() {
            break;
        }
        let available = &available[..available.len().min(most - skipped)];
        let end = available.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(available.len(), |end| end + 1);
        reader.consume(used);
        skipped += used;
        if end.is_some() {
            break;
        }
    }
    Ok(skipped)
}
