//! An audit log in a file of JSON lines.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{AuditRecord, AuditSink};

/// Maximum number of records in the queue: 10,000. Further records are dropped and counted, and the file reports
/// how many.
pub const MAX_QUEUED_RECORDS: usize = 10_000;

/// Maximum time before lines are written, and the number of bytes that are written earlier.
const FLUSH: Duration = Duration::from_secs(1);
const BUFFER: usize = 8 << 10;

/// Writes records to a file, one line of JSON each. When the file reaches its maximum size, it is renamed to
/// `{file}.1`, that one to `{file}.2`, and so on; the oldest file is removed. Only the owner can read the file
/// (mode 0600).
///
/// A separate thread writes the file, so a slow disk does not slow down calls. Dropped records are counted
/// ([`AuditFile::lost`]), and a line `{"lost":N}` is written as soon as possible.
///
/// ```no_run
/// use toolwright_gateway::audit::AuditFile;
///
/// # fn main() -> std::io::Result<()> {
/// let audit = AuditFile::builder("audit.jsonl").max_bytes(16 << 20).files(4).open()?;
/// # drop(audit);
/// # Ok(())
/// # }
/// ```
pub struct AuditFile {
    lines: Mutex<Option<SyncSender<Vec<u8>>>>,
    lost: Arc<AtomicU64>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// Settings of an [`AuditFile`].
#[derive(Debug, Clone)]
pub struct AuditFileBuilder {
    path: PathBuf,
    max_bytes: u64,
    files: u32,
}

impl AuditFile {
    /// The default size at which a file is rotated: 64 MiB.
    pub const MAX_BYTES: u64 = 64 << 20;
    /// The default number of rotated files: 8.
    pub const FILES: u32 = 8;

    /// Creates a builder for a file at this path, with the defaults.
    pub fn builder(path: impl Into<PathBuf>) -> AuditFileBuilder {
        AuditFileBuilder { path: path.into(), max_bytes: Self::MAX_BYTES, files: Self::FILES }
    }

    /// Returns the number of records that could not be written.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Writes all queued records and stops. Later records are dropped.
    pub fn close(&self) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).take();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A panic of the writer thread is already reported.
        _ = writer.map(JoinHandle::join);
    }
}

impl AuditFileBuilder {
    /// Sets the maximum size of a file, at least 4 KiB; default [`AuditFile::MAX_BYTES`].
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes.max(4 << 10);
        self
    }

    /// Sets the number of rotated files; default [`AuditFile::FILES`], 0 keeps none.
    pub fn files(mut self, files: u32) -> Self {
        self.files = files;
        self
    }

    /// Opens the file and appends to it.
    ///
    /// # Errors
    /// Returns the error of opening the file.
    pub fn open(self) -> io::Result<AuditFile> {
        let rotating = Rotating::open(self)?;
        let (lines, written) = mpsc::sync_channel(MAX_QUEUED_RECORDS);
        let lost = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&lost);
        let writer = std::thread::Builder::new().name("audit".to_owned());
        let writer = writer.spawn(move || write(rotating, &written, &counted))?;
        Ok(AuditFile { lines: Mutex::new(Some(lines)), lost, writer: Mutex::new(Some(writer)) })
    }
}

impl AuditSink for AuditFile {
    fn record(&self, record: &AuditRecord) {
        let Ok(mut line) = serde_json::to_vec(record) else { return };
        line.push(b'\n');
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = lines.as_ref().map(|lines| lines.try_send(line));
        if matches!(sent, None | Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_)))) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for AuditFile {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for AuditFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditFile").field("lost", &self.lost()).finish_non_exhaustive()
    }
}

/// Writes lines until the channel is closed.
fn write(mut file: Rotating, lines: &mpsc::Receiver<Vec<u8>>, lost: &AtomicU64) {
    let mut flushed = Instant::now();
    loop {
        match lines.recv_timeout(FLUSH) {
            Ok(line) => file.add(&line, lost),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                file.flush(lost);
                return;
            }
        }
        if file.buffer.len() >= BUFFER || flushed.elapsed() >= FLUSH {
            file.flush(lost);
            flushed = Instant::now();
        }
    }
}

/// A file that is rotated when it reaches its maximum size.
struct Rotating {
    settings: AuditFileBuilder,
    /// `None` after an error, until it can be opened again.
    file: Option<File>,
    bytes: u64,
    /// Lines that are not written yet.
    buffer: Vec<u8>,
    /// How many lost lines the file reports.
    reported: u64,
    /// Whether the file ends within a line, because the disk was full.
    is_torn: bool,
}

impl Rotating {
    fn open(settings: AuditFileBuilder) -> io::Result<Self> {
        let file = open(&settings.path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { settings, file: Some(file), bytes, buffer: Vec::new(), reported: 0, is_torn: false })
    }

    fn add(&mut self, line: &[u8], lost: &AtomicU64) {
        if self.bytes + (self.buffer.len() + line.len()) as u64 > self.settings.max_bytes {
            // The line is for the next file.
            self.flush(lost);
        }
        self.buffer.extend_from_slice(line);
    }

    /// Writes the buffered lines, after a line with the number of lost ones that are not reported yet. Lines that
    /// cannot be written are dropped and added to `lost`: they could be written twice otherwise.
    fn flush(&mut self, lost: &AtomicU64) {
        let missing = lost.load(Ordering::Relaxed).saturating_sub(self.reported);
        if self.buffer.is_empty() && missing == 0 {
            return;
        }
        let lines = std::mem::take(&mut self.buffer);
        if missing > 0 {
            let report = format!("{{\"lost\":{missing}}}\n");
            if self.write(report.as_bytes()).is_err() {
                lost.fetch_add(count(&lines), Ordering::Relaxed);
                return;
            }
            self.reported += missing;
        }
        if let Err(written) = self.write(&lines) {
            lost.fetch_add(count(&lines[written..]), Ordering::Relaxed);
        }
    }

    /// Writes lines, or returns how many bytes of them are written.
    fn write(&mut self, lines: &[u8]) -> Result<(), usize> {
        if self.bytes > 0 && self.bytes + lines.len() as u64 > self.settings.max_bytes {
            self.rotate().map_err(|_| 0_usize)?;
        }
        if self.file.is_none() {
            let file = open(&self.settings.path).map_err(|_| 0_usize)?;
            self.bytes = file.metadata().map_err(|_| 0_usize)?.len();
            self.file = Some(file);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        if self.is_torn {
            file.write_all(b"\n").map_err(|_| 0_usize)?;
            (self.is_torn, self.bytes) = (false, self.bytes + 1);
        }
        let mut written = 0;
        while written < lines.len() {
            match file.write(&lines[written..]) {
                Ok(some) if some > 0 => written += some,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => {
                    self.file = None;
                    self.is_torn = written > 0 && lines[written - 1] != b'\n';
                    return Err(written);
                }
            }
        }
        self.bytes += lines.len() as u64;
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        self.file = None;
        let numbered = |number: u32| {
            let mut name = self.settings.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        for number in (1..self.settings.files).rev() {
            // There may be fewer files.
            _ = std::fs::rename(numbered(number), numbered(number + 1));
        }
        if self.settings.files == 0 {
            std::fs::remove_file(&self.settings.path)?;
        } else {
            std::fs::rename(&self.settings.path, numbered(1))?;
        }
        (self.bytes, self.is_torn) = (0, false);
        Ok(())
    }
}

/// Returns the number of lines that end here.
fn count(lines: &[u8]) -> u64 {
    lines.split(|byte| *byte == b'\n').count().saturating_sub(1) as u64
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use toolwright_server::auth::Access;

    use super::*;

    fn record(number: usize) -> AuditRecord {
        AuditRecord::new(&Access::Trusted, "tools/call", &format!("tool-{number}"), None)
    }

    fn targets(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.map(|line| line["target"].as_str().unwrap_or("lost").to_owned()).collect()
    }

    #[test]
    fn every_record_is_a_line_and_files_are_rotated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let numbered = |number: u32| folder.path().join(format!("audit.jsonl.{number}"));
        let audit = AuditFile::builder(&path).max_bytes(4 << 10).files(2).open().unwrap();
        (0..100).for_each(|number| audit.record(&record(number)));
        audit.close();
        audit.record(&record(100));
        assert_eq!(audit.lost(), 1, "it is closed");
        let all: Vec<_> =
            [numbered(2), numbered(1), path.clone()].iter().flat_map(|file| targets(file)).collect();
        let last: Vec<_> = (100 - all.len()..100).map(|number| format!("tool-{number}")).collect();
        assert_eq!(all, last);
        assert!(all.len() > 30 && !numbered(3).exists(), "{}", all.len());
        for file in [numbered(2), numbered(1)] {
            assert!(file.metadata().unwrap().len() <= 4 << 10);
        }
        let again = AuditFile::builder(&path).open().unwrap();
        again.record(&record(7));
        again.close();
        assert_eq!(targets(&path).last().unwrap(), "tool-7", "what is there is kept");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn what_cannot_be_written_is_counted_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let settings = AuditFile::builder(&path).max_bytes(4 << 10).files(1);
        let mut rotating = Rotating::open(settings).unwrap();
        let lost = AtomicU64::new(0);
        let mut add = |lines: usize| {
            (0..lines).for_each(|_| rotating.add(format!("{:1000}\n", 0).as_bytes(), &lost));
            rotating.flush(&lost);
            lost.load(Ordering::Relaxed)
        };
        // A folder with the name of the rotated file makes rotation fail.
        let blocked = folder.path().join("audit.jsonl.1");
        std::fs::create_dir_all(blocked.join("x")).unwrap();
        assert_eq!((add(3), add(3)), (0, 2));
        std::fs::remove_dir_all(&blocked).unwrap();
        assert_eq!(add(2), 2);
        let read = |file: &Path| std::fs::read_to_string(file).unwrap();
        assert_eq!(read(&blocked).matches("{\"lost\":1}\n").count(), 2, "each as soon as possible");
        assert_eq!(count(read(&path).as_bytes()), 2);

        let (lines, written) = mpsc::sync_channel(10);
        let lost = AtomicU64::new(3);
        lines.send(serde_json::to_vec(&record(1)).unwrap()).unwrap();
        drop(lines);
        std::fs::remove_file(&path).unwrap();
        write(Rotating::open(AuditFile::builder(&path)).unwrap(), &written, &lost);
        assert_eq!(targets(&path), ["lost", "tool-1"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_line_that_a_full_disk_rejects_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let audit = AuditFile::builder(&path).open().unwrap();
        (0..500).for_each(|number| audit.record(&record(number)));
        audit.close();
        assert_eq!(audit.lost(), 500);

        let mut rotating = Rotating::open(AuditFile::builder(&path)).unwrap();
        let lost = AtomicU64::new(500);
        rotating.add(b"{}\n", &lost);
        rotating.flush(&lost);
        std::fs::remove_file(&path).unwrap();
        rotating.add(b"{\"target\":\"later\"}\n", &lost);
        rotating.flush(&lost);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"lost\":501}\n{\"target\":\"later\"}\n");
    }
}
