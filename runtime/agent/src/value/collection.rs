//! Collections of tools of all kinds, stored as JSON lines with one record each.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read as _};
use std::sync::Arc;

use super::codec::ToolCodec;
use super::error::ValueError;
use super::{EncodedRecord, ToolValue};

/// Limits on what [`ToolCollection::read`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadLimits {
    /// The maximum length of a line in bytes. A longer one is a [`Problem`], and reading continues after it. 16 MiB by
    /// default.
    pub line_bytes: usize,
    /// The maximum total size in bytes; the rest is ignored. 256 MiB by default.
    pub total_bytes: usize,
    /// The maximum number of records; the rest is ignored. 100,000 by default.
    pub records: usize,
    /// The maximum number of problems to keep; further ones are counted ([`ToolCollection::omitted_problems`]). 1,000
    /// by default.
    pub problems: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { line_bytes: 16 << 20, total_bytes: 256 << 20, records: 100_000, problems: 1000 }
    }
}

/// Tools of all kinds, in the order of their records.
///
/// Lines that are `null` or empty are skipped, so that two concatenated files are a collection. An invalid line is a
/// [`Problem`], and the others are still read. Older formats are accepted and counted as a [`Deprecation`].
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
    omitted_problems: usize,
    nulls: usize,
}

/// A tool of a collection.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolEntry {
    /// The location of its record.
    pub place: Place,
    /// The format of its record.
    pub codec: &'static ToolCodec,
    /// The tool.
    pub value: ToolValue,
}

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// A line that is not a valid tool.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {kind}")]
#[non_exhaustive]
pub struct Problem {
    /// The location of the line.
    pub place: Place,
    /// The cause.
    #[source]
    pub kind: ProblemKind,
}

/// Why a line is not a valid tool.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The record is not a valid tool.
    #[error(transparent)]
    Invalid(#[from] ValueError),
    /// The line is not UTF-8.
    #[error("the line is not UTF-8")]
    NotUtf8,
    /// The cell of a table contains a value that no record can have.
    #[error("the row contains {what}, which records do not support")]
    Cell {
        /// The kind of value.
        what: String,
    },
    /// The line is longer than [`ReadLimits::line_bytes`].
    #[error("the line is longer than {limit} bytes")]
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

/// A name that appears more than once in a collection. An agent can call only one tool of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Duplicate {
    /// The name.
    pub name: String,
    /// The location of its first appearance.
    pub first: Place,
    /// The location of its second appearance.
    pub again: Place,
    /// Whether both tools are equal in every member, so that one of them can be removed.
    pub is_equal: bool,
}

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, first, again, is_equal } = self;
        let advice = if *is_equal { "the records are equal; remove one" } else { "rename one of them" };
        write!(f, "{again}: the tool {name:?} is already defined at {first}; {advice}")
    }
}

/// The records in one older format.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deprecation {
    /// The format.
    pub codec: &'static ToolCodec,
    /// The first record in the format.
    pub first: Place,
    /// The number of records in the format.
    pub count: usize,
}

impl fmt::Display for Deprecation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { codec, first, count } = self;
        let records = if *count == 1 { "1 record has".to_owned() } else { format!("{count} records have") };
        let note = codec.deprecation().unwrap_or_default();
        write!(f, "{first}: {records} the deprecated format {}; {note}", codec.name())
    }
}

impl ToolCollection {
    /// Reads JSON lines with the default [`ReadLimits`].
    pub fn from_jsonl(text: &str) -> Self {
        let source = Source { name: "".into(), codec: None, limits: ReadLimits::default() };
        let mut collection = Self::default();
        // Reading from memory cannot fail.
        _ = collection.fill(text.as_bytes(), &source);
        collection
    }

    /// Reads JSON lines. `source` is their name in messages. Each record may have its own format, unless `codec` sets
    /// one for all of them. A byte order mark is skipped.
    ///
    /// # Errors
    /// Errors of `reader`; invalid lines are in [`ToolCollection::problems`].
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
            // One more byte shows that the line or source continues.
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
                self.add_problem(place, ProblemKind::NotUtf8, limits);
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
            self.omitted_problems += 1;
        }
    }

    /// Appends the contents of another collection.
    pub fn append(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.problems.extend(other.problems);
        self.omitted_problems += other.omitted_problems;
        self.nulls += other.nulls;
    }

    /// Returns the tools with their locations.
    pub fn entries(&self) -> &[ToolEntry] {
        &self.entries
    }

    /// Iterates over the tools.
    pub fn values(&self) -> impl Iterator<Item = &ToolValue> {
        self.entries.iter().map(|entry| &entry.value)
    }

    /// Returns the invalid lines.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the number of problems beyond [`ReadLimits::problems`].
    pub fn omitted_problems(&self) -> usize {
        self.omitted_problems
    }

    /// Returns the number of `null` lines.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// Returns the duplicate names, each with the location of the previous appearance.
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

    /// Returns the older formats among the records, one entry per format.
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

    /// Formats the collection as JSON lines in the current format.
    pub fn to_jsonl(&self) -> String {
        self.values().map(|value| value.to_json() + "\n").collect()
    }

    /// Encodes the records in a given format, and reports what each record lacks.
    ///
    /// # Errors
    /// See [`ToolCodec::encode`]; the error has the record's location.
    pub fn encode(&self, codec: &ToolCodec) -> Result<Vec<EncodedRecord>, Problem> {
        let encode = |entry: &ToolEntry| {
            codec
                .encode(&entry.value)
                .map_err(|error| Problem { place: entry.place.clone(), kind: error.into() })
        };
        self.entries.iter().map(encode).collect()
    }
}

impl FromIterator<ToolValue> for ToolCollection {
    /// Collects the values as if each were on its own line, in the current format.
    fn from_iter<I: IntoIterator<Item = ToolValue>>(values: I) -> Self {
        let entry = |(index, value)| ToolEntry {
            place: Place { source: "".into(), line: index + 1 },
            codec: &ToolCodec::all()[0],
            value,
        };
        Self { entries: values.into_iter().enumerate().map(entry).collect(), ..Self::default() }
    }
}

/// Records that arrive one by one, such as the rows of a table.
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

    /// Adds a record; false if it exceeds the limit.
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

    /// Records that a row contains something else.
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

/// A source of lines, and how to read them.
struct Source {
    name: Arc<str>,
    codec: Option<&'static ToolCodec>,
    limits: ReadLimits,
}

/// Skips to the end of the line, but at most `most` bytes. Returns the number of bytes skipped.
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
