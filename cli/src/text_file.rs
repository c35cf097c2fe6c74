//! Reads text files, with or without a byte order mark, and writes the files of `--out`.

use std::fs;
use std::io;
use std::path::Path;

use crate::error::Error;

/// Reads a text file: UTF-8, or UTF-16 with a byte order mark, as `>` in Windows PowerShell writes it. The mark is not part
/// of the result.
///
/// # Errors
/// Read errors, and [`io::ErrorKind::InvalidData`] if the file is not text.
pub(crate) fn read(file: &Path) -> io::Result<String> {
    decode(fs::read(file)?)
}

/// Writes a file, and creates the folders above it.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    let folders = file.parent().map_or(Ok(()), fs::create_dir_all);
    folders
        .and_then(|()| fs::write(file, content))
        .map_err(|source| Error::Write { file: file.to_owned(), source })
}

/// Decodes a text; see [`read`].
///
/// # Errors
/// [`io::ErrorKind::InvalidData`].
pub(crate) fn decode(mut bytes: Vec<u8>) -> io::Result<String> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "it is neither UTF-8 nor UTF-16 text");
    let utf_16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks(2).map(|pair| <[u8; 2]>::try_from(pair).map(unit));
        let units = units.collect::<Result<Vec<u16>, _>>().map_err(|_| invalid())?;
        String::from_utf16(&units).map_err(|_| invalid())
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, ..] => {
            bytes.drain(..3);
            String::from_utf8(bytes).map_err(|_| invalid())
        }
        _ => String::from_utf8(bytes).map_err(|_| invalid()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let little: Vec<u8> = "\u{feff}{\"é\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{feff}{\"é\"}".encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in ["{\"é\"}".as_bytes(), "\u{feff}{\"é\"}".as_bytes(), &little, &big] {
            assert_eq!(decode(bytes.to_owned()).unwrap(), "{\"é\"}");
        }
        for bytes in [&[0xff_u8][..], &[0xff, 0xfe, 0x41], &[0xff, 0xfe, 0x00, 0xd8], &[0x80]] {
            assert!(decode(bytes.to_owned()).is_err(), "{bytes:?}");
        }
    }
}
