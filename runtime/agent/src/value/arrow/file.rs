//! Arrow IPC files.

use std::io::{Cursor, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_ipc::reader::{FileReader, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, root_as_footer};

use super::super::collection::Rows;
use super::super::{ReadLimits, ToolCollection};
use super::{ArrowToolError, Layout, read_batch, to_batch};

/// Writes the tools as an IPC file with one record batch.
///
/// # Errors
/// See [`to_batch`]; also Arrow's own errors.
pub fn write_file(tools: &ToolCollection, layout: Layout, writer: impl Write) -> Result<(), ArrowToolError> {
    let batch = to_batch(tools, layout)?;
    let mut file = FileWriter::try_new(writer, &batch.schema())?;
    file.write(&batch)?;
    file.finish()?;
    Ok(())
}

/// Reads the tools of an IPC file, from all of its record batches. `source` is the file's name in messages. The whole
/// file is read, up to [`ReadLimits::total_bytes`]; compressed batches are an error.
///
/// # Errors
/// [`ArrowToolError::Large`], [`ArrowToolError::Damaged`], [`ArrowToolError::NoColumn`], and errors of `reader`.
pub fn read_file(
    source: &str,
    reader: impl Read,
    limits: ReadLimits,
) -> Result<ToolCollection, ArrowToolError> {
    let mut bytes = Vec::new();
    reader.take((limits.total_bytes as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > limits.total_bytes {
        return Err(ArrowToolError::Large { limit: limits.total_bytes });
    }
    check_blocks(&bytes)?;
    // For most corruption, Arrow returns an error, but for some it panics.
    let read = AssertUnwindSafe(|| read_batches(source, &bytes, limits));
    catch_unwind(read).unwrap_or_else(|_| Err(damaged("its contents contradict each other")))
}

fn read_batches(source: &str, bytes: &[u8], limits: ReadLimits) -> Result<ToolCollection, ArrowToolError> {
    let mut rows = Rows::new(source, limits);
    for batch in FileReader::try_new(Cursor::new(bytes), None)? {
        if !read_batch(&batch?, &mut rows)? {
            break;
        }
    }
    Ok(rows.finish())
}

/// The bytes after the footer: its length and a six-byte magic.
const TRAILER: usize = 10;

/// Rejects blocks that lie outside of the file before allocating memory: the file states their lengths, which cannot be
/// trusted.
fn check_blocks(bytes: &[u8]) -> Result<(), ArrowToolError> {
    let (rest, trailer) = bytes.split_last_chunk::<TRAILER>().ok_or_else(|| damaged("it is too short"))?;
    let length = read_footer_length(*trailer)?;
    let start =
        rest.len().checked_sub(length).ok_or_else(|| damaged("its footer is longer than the file"))?;
    let footer = root_as_footer(&rest[start..]).map_err(|error| damaged(&error.to_string()))?;
    let is_inside = |block: &Block| {
        let parts = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
        let parts = parts.map(|part| usize::try_from(part).ok());
        let end = parts.into_iter().try_fold(0_usize, |sum, part| sum.checked_add(part?));
        end.is_some_and(|end| end <= bytes.len())
    };
    let dictionaries = footer.dictionaries().into_iter().flatten();
    let batches = footer.recordBatches().into_iter().flatten();
    if dictionaries.chain(batches).all(is_inside) {
        Ok(())
    } else {
        Err(damaged("a block lies outside of it"))
    }
}

fn damaged(why: &str) -> ArrowToolError {
    ArrowToolError::Damaged(why.to_owned())
}
