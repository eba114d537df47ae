//! The durable store: one SQLite file, kernel locks in front of it.
//!
//! Layout of the directory: `history.db` (with `-wal` and `-shm`), `write.lock`, `paths/NN.lock`, `owners/NNNN.lock`, and
//! `FORMAT`, a text file with one number. Everything is for its owner alone.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the store keeps its own files; the files of the user are behind the `Workspace` port"
)]

mod files;
mod lock;
mod repair;
mod rows;

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

pub use lock::{PathGuard, PathLocks};
pub use repair::Repaired;
pub use rows::{SqlTx, SqlView};

use crate::{
    error::Error,
    store::{OwnerId, Store, Sync},
};

/// The newest format that this version reads.
pub const FORMAT: u64 = SEALED_FORMAT;
/// The format of a store without sealed content: what every version reads.
pub const PLAIN_FORMAT: u64 = 1;
/// The format of a store that holds, or held, sealed content, which a version that knows only format 1 would take for
/// damaged. A store gets it with the transaction that adds the first one.
pub const SEALED_FORMAT: u64 = 2;

/// `fshi` in ASCII: marks the database file as ours.
const APPLICATION_ID: i32 = 0x6673_6869;
const DATABASE: &str = "history.db";
const FORMAT_FILE: &str = "FORMAT";
const WRITE_LOCK: &str = "write.lock";
/// Pages that are given back while the lock is held: a megabyte, a few milliseconds of work.
const VACUUM_PAGES: u32 = 256;

/// What the store is told once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long to wait for another process before answering [`Error::Busy`].
    pub wait: Duration,
    /// Largest database file in bytes; a transaction that would exceed it fails with [`Error::StoreFull`].
    pub max_bytes: Option<u64>,
}

impl Default for SqliteOptions {
    /// Waits ten seconds, and leaves the size to `prune`.
    fn default() -> Self {
        Self { wait: Duration::from_secs(10), max_bytes: None }
    }
}

/// A store in one SQLite file, shared by several processes.
///
/// # Durability
///
/// Write-ahead log and `synchronous=FULL` for what must be there when a call returns. Only outcomes, which can be found
/// out again from the files, are committed without waiting for the disk.
///
/// # Concurrency
///
/// Writers queue at a kernel lock before they ask SQLite; readers wait for nobody.
#[derive(Debug)]
pub struct SqliteStore {
    connection: Connection,
    dir: PathBuf,
    wait: Duration,
    owners: lock::Owners,
    tightened: bool,
    wal: bool,
}

/// Turns any failure of the operating system into the one error it is for the caller.
fn unavailable(error: io::Error) -> Error {
    if error.kind() == io::ErrorKind::StorageFull {
        Error::StoreFull
    } else {
        Error::Unavailable(error.to_string())
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        // On a full disk the index of the log cannot grow, which SQLite reports as a failed write.
        if error
            .sqlite_error()
            .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
        {
            return Self::StoreFull;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::StoreFull,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::StoreDamaged(error.to_string())
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { owner: None },
            Some(_) => Self::Unavailable(error.to_string()),
            // A value of another type than the table allows can only come from damage.
            None => Self::StoreDamaged(error.to_string()),
        }
    }
}

impl SqliteStore {
    /// Opens the store in `dir`, creating it if it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::FormatTooNew`] before a byte is written; [`Error::Unavailable`], [`Error::StoreFull`],
    /// [`Error::StoreDamaged`] (see [`repair`](Self::repair)), [`Error::Busy`].
    ///
    /// # Cost
    ///
    /// A few milliseconds, whatever the number of versions.
    pub fn open(dir: &Path, options: &SqliteOptions) -> Result<Self, Error> {
        refuse_newer(dir)?;
        if !dir.exists() {
            files::create_private_dir(dir).map_err(unavailable)?;
        }
        let mut tightened = files::tighten(dir).map_err(unavailable)?;
        let (paths, owners) = (dir.join("paths"), dir.join("owners"));
        files::create_private_dir(&paths).map_err(unavailable)?;
        files::create_private_dir(&owners).map_err(unavailable)?;
        let held = lock::acquire(&dir.join(WRITE_LOCK), options.wait)?;
        let created = !dir.join(DATABASE).exists();
        let unmarked = files::read_text(&dir.join(FORMAT_FILE)).map_err(unavailable)?.is_none();
        if unmarked && created {
            mark_format(dir, PLAIN_FORMAT)?;
        }
        if created {
            // The file must be private from its first moment; SQLite gives its companions the same bits. Under the lock
            // nobody can have it open yet, so that closing it here drops no lock of SQLite's.
            files::open_private(&dir.join(DATABASE)).map_err(unavailable)?;
        }
        for name in [DATABASE, "history.db-wal", "history.db-shm", WRITE_LOCK, FORMAT_FILE] {
            tightened |= files::tighten(&dir.join(name)).map_err(unavailable)?;
        }
        let (connection, wal) = connect(&dir.join(DATABASE), options)?;
        if unmarked && !created {
            mark_format(dir, format_of(&connection)?)?;
        }
        if created {
            files::sync_dir(dir).map_err(unavailable)?;
            if let Some(parent) = dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                files::sync_dir(parent).map_err(unavailable)?;
            }
        }
        let owners = lock::Owners::take(owners)?;
        // Whoever had this number before is gone: its unfinished changes belong to nobody.
        rows::disown(&connection, owners.id)?;
        drop(held);
        Ok(Self { connection, dir: dir.to_owned(), wait: options.wait, owners, tightened, wal })
    }

    /// Returns the locks of paths.
    pub fn path_locks(&self) -> PathLocks {
        PathLocks::new(self.dir.join("paths"), self.wait)
    }

    /// Returns the directory of the store.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Tells whether files of the store were open to others when it was opened. They no longer are.
    pub fn was_tightened(&self) -> bool {
        self.tightened
    }

    /// Tells whether the write-ahead log works here. If not (some network mounts), a slower journal does the same duty.
    pub fn has_wal(&self) -> bool {
        self.wal
    }

    /// Saves what can be read of a damaged store: moves the database aside under a name that ends with `suffix`, and
    /// fills a new one with every row that can still be read. Nothing is deleted.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] while another handle is open, [`Error::FormatTooNew`], [`Error::Unavailable`],
    /// [`Error::StoreFull`]. The damaged database is in its place or under its new name then.
    pub fn repair(dir: &Path, suffix: &str, options: &SqliteOptions) -> Result<Repaired, Error> {
        refuse_newer(dir)?;
        repair::repair(dir, suffix, options)
    }
}

/// Refuses a store of a newer format without touching it.
fn refuse_newer(dir: &Path) -> Result<(), Error> {
    let text = files::read_text(&dir.join(FORMAT_FILE)).map_err(unavailable)?;
    if let Some(text) = text {
        let found = text.trim().parse().map_err(|_| Error::StoreDamaged("FORMAT is not a number".into()))?;
        if found > FORMAT {
            return Err(Error::FormatTooNew { found, supported: FORMAT });
        }
    }
    let database = dir.join(DATABASE);
    if !database.exists() {
        return Ok(());
    }
    // Immutable: SQLite takes no lock and creates neither log nor index. Only the header matters here; where even
    // that cannot be read, opening will say so.
    let Ok(peek) = Connection::open_with_flags(
        immutable_uri(&database),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    ) else {
        return Ok(());
    };
    match peek.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)) {
        Ok(found) => refuse_newer_than(found),
        Err(_) => Ok(()),
    }
}

fn refuse_newer_than(found: i64) -> Result<(), Error> {
    let found = u64::from(found as u32); // `user_version` is 32 bits
    if found > FORMAT { Err(Error::FormatTooNew { found, supported: FORMAT }) } else { Ok(()) }
}

/// Returns the format of an open database.
fn format_of(connection: &Connection) -> Result<u64, Error> {
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(u64::from(found as u32))
}

/// Writes the format beside the database, where it is found without SQLite.
fn mark_format(dir: &Path, format: u64) -> Result<(), Error> {
    files::write_text(&dir.join(FORMAT_FILE), &format!("{format}\n")).map_err(unavailable)
}

/// Raises the format of a store within the transaction that makes it necessary. The mark beside the database comes
/// first: should the transaction fail, an older version is refused without need, and never misled.
fn raise_format(dir: &Path, connection: &Connection, format: u64) -> Result<(), Error> {
    if format_of(connection)? >= format {
        return Ok(());
    }
    mark_format(dir, format)?;
    files::sync_dir(dir).map_err(unavailable)?;
    Ok(connection.pragma_update(None, "user_version", format as i64)?)
}

/// Writes a path as a URI, with everything but the plainest characters escaped.
fn immutable_uri(path: &Path) -> String {
    use std::fmt::Write;

    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri + "?immutable=1"
}

/// Opens the database with the settings that durability and safety rest on, and creates the tables if it is new.
fn connect(path: &Path, options: &SqliteOptions) -> Result<(Connection, bool), Error> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(options.wait)?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    refuse_newer_than(found)?;
    if found == 0 {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    let wal = mode.eq_ignore_ascii_case("wal");
    if !wal {
        connection.pragma_update_and_check(None, "journal_mode", "TRUNCATE", |_| Ok(()))?;
    }
    connection.execute_batch(
        "PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON; PRAGMA secure_delete=ON;
         PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;",
    )?;
    // Small log: on a nearly full disk it must not be what fills it.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 128, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", 8 << 20, |_| Ok(()))?;
    if let Some(max) = options.max_bytes {
        let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let pages = i64::try_from(max).unwrap_or(i64::MAX) / page.max(1);
        connection.pragma_update_and_check(None, "max_page_count", pages.max(1), |_| Ok(()))?;
    }
    connection.set_prepared_statement_cache_capacity(64);
    wait_for_disk(&connection, wal, Sync::Now)?;
    if found == 0 {
        rows::create(&connection)?;
    } else {
        let ours: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        if ours != APPLICATION_ID {
            return Err(Error::StoreDamaged("the database is not a history".into()));
        }
    }
    Ok((connection, wal))
}

/// Says whether the next commit waits for the disk. Without a write-ahead log every one does, since there a commit
/// that does not wait could tear the database.
fn wait_for_disk(connection: &Connection, wal: bool, sync: Sync) -> Result<(), Error> {
    let level = match (wal, sync) {
        (true, Sync::Now) => "PRAGMA synchronous=FULL",
        (true, Sync::Later) => "PRAGMA synchronous=NORMAL",
        (false, _) => "PRAGMA synchronous=EXTRA",
    };
    Ok(connection.execute_batch(level)?)
}

impl Store for SqliteStore {
    type View<'a> = SqlView<'a>;
    type Tx<'a> = SqlTx<'a>;

    fn view<T>(&self, f: impl FnOnce(&SqlView<'_>) -> Result<T, Error>) -> Result<T, Error> {
        // A deferred transaction that only reads: all statements see one snapshot.
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)?;
        f(&SqlView(&transaction))
    }

    fn transact<T>(
        &mut self,
        sync: Sync,
        f: impl FnOnce(&mut SqlTx<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let _held = lock::acquire(&self.dir.join(WRITE_LOCK), self.wait)?;
        wait_for_disk(&self.connection, self.wal, sync)?;
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        // Dropping the transaction on the way out rolls it back.
        let mut tx = SqlTx::new(&transaction);
        let value = f(&mut tx)?;
        let format = tx.format();
        if format > PLAIN_FORMAT {
            raise_format(&self.dir, &transaction, format)?;
        }
        transaction.commit()?;
        Ok(value)
    }

    fn owner(&self) -> OwnerId {
        self.owners.id
    }

    fn is_alive(&self, owner: OwnerId) -> bool {
        self.owners.is_alive(owner)
    }

    fn compact(&mut self) -> Result<(), Error> {
        let mut free = u64::MAX;
        loop {
            let _held = lock::acquire(&self.dir.join(WRITE_LOCK), self.wait)?;
            let left: i64 = self.connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
            let left = left as u64;
            // Other writers have their turn between two slices. No progress means that there is nothing to gain.
            if left == 0 || left >= free {
                break;
            }
            free = left;
            wait_for_disk(&self.connection, self.wal, Sync::Later)?;
            // One step frees one page: only a drained statement frees them all.
            let mut vacuum =
                self.connection.prepare(&format!("PRAGMA incremental_vacuum({VACUUM_PAGES})"))?;
            let mut steps = vacuum.query([])?;
            while steps.next()?.is_some() {}
        }
        let _held = lock::acquire(&self.dir.join(WRITE_LOCK), self.wait)?;
        wait_for_disk(&self.connection, self.wal, Sync::Now)?;
        if self.wal {
            // Old frames of the log may hold what was purged.
            let busy: bool =
                self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
            if busy {
                return Err(Error::Busy { owner: None });
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<Vec<String>, Error> {
        let mut check = self.connection.prepare("PRAGMA integrity_check(100)")?;
        let lines = check.query_map([], |row| row.get::<_, String>(0))?;
        let mut problems = lines.collect::<Result<Vec<_>, _>>()?;
        problems.retain(|line| line != "ok");
        Ok(problems)
    }
}
