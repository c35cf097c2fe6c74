//! Unix sockets: any number of peers, each on its own connection, with the framing of stdio.
//!
//! A socket is bound, gets its mode, and only then listens, so that no other user can connect in between. Servers that
//! start at the same time lock the folder, so that none removes the other's socket as a stale one.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use tokio_util::sync::CancellationToken;

use super::peers::{self, LAST_WORDS};
use super::{Transport, lines};
use crate::error::ServeError;
use crate::service::Service;

/// A Unix socket, bound to a path: one message per line, as on stdio, for any number of peers.
///
/// Only the user of this process may connect (the file has mode 0600). Every peer is an independent client: its
/// revision, calls and subscriptions are its own, and when its input ends, its running calls get
/// [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to finish. [`Limits`](crate::Limits) bounds the peers,
/// their lines, and what is queued for slow readers.
///
/// The file is removed when [`Service::serve_until`](crate::Service::serve_until) shuts down, and when this is dropped.
///
/// ```no_run
/// # async fn example(service: toolwright_server::Service) -> Result<(), Box<dyn std::error::Error>> {
/// use toolwright_server::UnixSocket;
///
/// service.serve(UnixSocket::bind("/run/user/1000/shop.sock")?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct UnixSocket {
    listener: UnixListener,
    file: SocketFile,
}

impl UnixSocket {
    /// Binds to `path`. A stale file of a server that no longer runs is replaced.
    ///
    /// # Errors
    /// [`AddrInUse`](io::ErrorKind::AddrInUse) if a server is listening there,
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) if something other than a socket exists there, and the system's
    /// errors: for example if the folder does not exist, or the path is too long (about 100 bytes).
    pub fn bind(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let address = SocketAddrUnix::new(&path)?;
        let _alone = lock_folder_of(&path)?;
        remove_stale(&path, &address)?;
        let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
        rustix::net::bind(&socket, &address)?;
        let file = SocketFile::of(path)?;
        // No one can connect before it listens.
        fs::set_permissions(&file.path, Permissions::from_mode(0o600))?;
        rustix::net::listen(&socket, BACKLOG)?;
        let listener = UnixListener::from(socket);
        listener.set_nonblocking(true)?;
        Ok(Self { listener, file })
    }

    /// Returns the absolute path of the socket.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    pub(crate) async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        let listener = tokio::net::UnixListener::from_std(self.listener).map_err(ServeError::Listen)?;
        let limits = service.limits();
        let stop = CancellationToken::new();
        let mut open = peers::accept(
            |task| listener.poll_accept(task).map_ok(|(stream, _)| stream),
            limits.max_socket_peers,
            shutdown,
            |mut stream| {
                let (service, stop) = (service.clone(), stop.clone());
                async move {
                    let (reader, writer) = stream.split();
                    // An error concerns only this peer, and it cannot be reported to anyone.
                    let _ = lines::serve(&service, Some("unix"), reader, writer, stop.cancelled()).await;
                }
            },
        )
        .await;
        drop(listener);
        drop(self.file);
        stop.cancel();
        peers::join(&mut open, limits.shutdown_grace.saturating_add(2 * LAST_WORDS)).await;
        Ok(())
    }
}

impl From<UnixSocket> for Transport {
    fn from(socket: UnixSocket) -> Self {
        Self::UnixSocket(socket)
    }
}

/// The number of connections that may wait to be accepted.
const BACKLOG: i32 = 1024;

/// Removes the file of a server that no longer runs.
fn remove_stale(path: &Path, address: &SocketAddrUnix) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(found) if !found.file_type().is_socket() => {
            let text =
                format!("`{}` exists and is not a socket; choose another path, or remove it", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        Ok(_) => {}
    }
    if is_listening(address)? {
        let text =
            format!("a server is already listening on `{}`; stop it, or choose another path", path.display());
        return Err(io::Error::new(io::ErrorKind::AddrInUse, text));
    }
    match fs::remove_file(path) {
        // Its server has ended in the meantime.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Whether a server would accept a connection at `address`, now or once it has room.
fn is_listening(address: &SocketAddrUnix) -> io::Result<bool> {
    let probe = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    // A server with a full queue would otherwise block this.
    rustix::io::ioctl_fionbio(&probe, true)?;
    match rustix::net::connect(&probe, address) {
        Ok(()) | Err(Errno::AGAIN | Errno::INPROGRESS) => Ok(true),
        Err(Errno::CONNREFUSED | Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Keeps two servers that start at the same time from removing each other's file, until the lock is dropped. If folders
/// cannot be locked, there is no protection.
fn lock_folder_of(path: &Path) -> io::Result<Option<File>> {
    const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
    let Some(Ok(folder)) = path.parent().map(File::open) else { return Ok(None) };
    let start = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(fs::TryLockError::Error(_)) => return Ok(None),
            Err(fs::TryLockError::WouldBlock) if start.elapsed() < LOCK_TIMEOUT => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(fs::TryLockError::WouldBlock) => {
                let text =
                    format!("another process has locked the folder of `{}`; try again", path.display());
                return Err(io::Error::new(io::ErrorKind::WouldBlock, text));
            }
        }
    }
}

/// The file of a socket, which is removed when this is dropped, unless another server owns it by then.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    /// Device and inode.
    identity: (u64, u64),
}

impl SocketFile {
    fn of(path: PathBuf) -> io::Result<Self> {
        let identity = identity(&path)?;
        Ok(Self { path, identity })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|found| found == self.identity) {
            // If it cannot be removed, the next server detects it as stale.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()))
}
