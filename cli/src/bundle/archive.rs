//! A ZIP archive in memory (APPNOTE.TXT of PKWARE, version 6.3): compressed entries with the permissions of Unix, and no times,
//! so that the same files make the same archive.

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// The first day that the format knows, 1 January 1980.
const DATE: u16 = (1 << 5) | 1;
const DEFLATE: u16 = 8;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// Version 2.0 is the first one with compression.
const VERSION: u16 = 20;
/// Made on Unix, whose permissions are in the upper half of the external attributes.
const MADE_BY: u16 = (3 << 8) | VERSION;

/// Why an entry cannot be added.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    #[error("it is larger than 4 GiB: build it without debug information, as in `strip = true`")]
    TooLarge,
    #[error(transparent)]
    Compress(#[from] std::io::Error),
}

/// The files so far, and the directory of them.
#[derive(Debug, Default)]
pub(super) struct Archive {
    files: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

impl Archive {
    /// Adds a file.
    ///
    /// # Errors
    /// [`ArchiveError`]; the archive is of no use then.
    pub(super) fn add(&mut self, name: &str, bytes: &[u8], is_program: bool) -> Result<(), ArchiveError> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes)?;
        let compressed = encoder.finish()?;
        let mut crc = Crc::new();
        crc.update(bytes);

        let size = |size: usize| u32::try_from(size).map_err(|_| ArchiveError::TooLarge);
        let offset = size(self.files.len())?;
        let mut common = Vec::new();
        for number in [VERSION, FLAGS, DEFLATE, 0, DATE] {
            common.extend(number.to_le_bytes());
        }
        for number in [crc.sum(), size(compressed.len())?, size(bytes.len())?] {
            common.extend(number.to_le_bytes());
        }
        let length = u16::try_from(name.len()).map_err(|_| ArchiveError::TooLarge)?;
        // The name, and no extra field.
        common.extend(length.to_le_bytes());
        common.extend(0_u16.to_le_bytes());

        self.files.extend(0x0403_4b50_u32.to_le_bytes());
        self.files.extend(&common);
        self.files.extend(name.as_bytes());
        self.files.extend(compressed);

        let mode: u32 = if is_program { 0o100_755 } else { 0o100_644 };
        self.directory.extend(0x0201_4b50_u32.to_le_bytes());
        self.directory.extend(MADE_BY.to_le_bytes());
        self.directory.extend(&common);
        // No comment, on the first disk, no internal attributes.
        self.directory.extend([0; 6]);
        self.directory.extend((mode << 16).to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
        size(self.files.len() + self.directory.len()).map(|_| ())
    }

    /// Returns the bytes of the archive.
    pub(super) fn finish(self) -> Vec<u8> {
        let Self { files: mut bytes, directory, count } = self;
        // Both were checked when the last file was added.
        let (size, offset) = (saturate(directory.len()), saturate(bytes.len()));
        bytes.extend(directory);
        bytes.extend(0x0605_4b50_u32.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(size.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
        bytes.extend([0; 2]);
        bytes
    }
}

fn saturate(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
