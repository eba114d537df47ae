//! Saving what can be read of a damaged database.

use std::{fs, path::Path};

use rusqlite::{Connection, ErrorCode, OpenFlags, types::Value};

use super::{
    DATABASE, PLAIN_FORMAT, SEALED_FORMAT, SqliteOptions, WRITE_LOCK, files, lock, rows, unavailable,
};
use crate::{codec, error::Error};

/// So many ids in a row are tried one by one, which are a megabyte of bad pages or more; then in steps that double, so that
/// a table of which nothing can be read costs a moment and not a minute.
const PATIENCE: u64 = 10_000;

/// What a repair saved.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repaired {
    /// Changes copied to the new database.
    pub changes: u64,
    /// Stored contents copied. Each still has to pass its hash when it is read.
    pub blobs: u64,
    /// Ids whose rows, if there were any, could not be read or did not fit.
    pub lost: u64,
}

pub(super) fn repair(dir: &Path, suffix: &str, options: &SqliteOptions) -> Result<Repaired, Error> {
    let _held = lock::acquire(&dir.join(WRITE_LOCK), options.wait)?;
    // Taking number 1 proves that nobody else is there: numbers are given from the lowest.
    let owners = dir.join("owners");
    files::create_private_dir(&owners).map_err(unavailable)?;
    let nobody = lock::Owners::take(owners)?;
    if nobody.id.0 != 1 {
        return Err(Error::Busy { owner: None });
    }
    let (damaged, fresh) = (dir.join(format!("history.damaged-{suffix}")), dir.join("history.new"));
    if damaged.exists() {
        return Err(Error::Unavailable(format!("history.damaged-{suffix} exists already")));
    }
    for name in ["history.new", "history.new-wal", "history.new-shm"] {
        match fs::remove_file(dir.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unavailable(error)),
            _ => {}
        }
    }
    files::open_private(&fresh).map_err(unavailable)?;
    let (target, _) = super::connect(&fresh, options)?;
    let mut saved = Repaired::default();
    if let Ok(source) = Connection::open_with_flags(
        dir.join(DATABASE),
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    ) {
        copy_all(&source, &target, &mut saved)?;
    }
    // The lowest format that holds what was saved.
    let sealed: bool =
        target.query_row("SELECT EXISTS(SELECT 1 FROM blob WHERE codec = ?1)", [codec::SEALED], |row| {
            row.get(0)
        })?;
    let format = if sealed { SEALED_FORMAT } else { PLAIN_FORMAT };
    target.pragma_update(None, "user_version", format as i64)?;
    // Nothing may stay in the log of the new database when it changes its name.
    target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    drop(target);
    for companion in ["-wal", "-shm"] {
        let old = dir.join(format!("{DATABASE}{companion}"));
        if old.exists() {
            fs::rename(&old, dir.join(format!("history.damaged-{suffix}{companion}")))
                .map_err(unavailable)?;
        }
    }
    if dir.join(DATABASE).exists() {
        // A second name first, so that at no moment there is no database; where that does not work, a new name.
        fs::hard_link(dir.join(DATABASE), &damaged)
            .or_else(|_| fs::rename(dir.join(DATABASE), &damaged))
            .map_err(unavailable)?;
    }
    fs::rename(&fresh, dir.join(DATABASE)).map_err(unavailable)?;
    super::mark_format(dir, format)?;
    files::sync_dir(dir).map_err(unavailable)?;
    Ok(saved)
}

/// Copies row by row, by id: a page that cannot be read costs the rows on it and no others.
fn copy_all(source: &Connection, target: &Connection, saved: &mut Repaired) -> Result<(), Error> {
    target.execute_batch("BEGIN IMMEDIATE")?;
    for table in rows::TABLES {
        copy_table(source, target, table, saved)?;
    }
    // Ids that were issued are never issued again, even where their rows are lost.
    if let Ok(mut read) = source.prepare("SELECT name, seq FROM sqlite_sequence") {
        let pairs = read.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)));
        for (name, seq) in pairs.into_iter().flatten().flatten() {
            if rows::TABLES.contains(&name.as_str()) {
                target
                    .execute("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", (&name, seq))?;
            }
        }
    }
    Ok(target.execute_batch("COMMIT")?)
}

fn copy_table(
    source: &Connection,
    target: &Connection,
    table: &str,
    saved: &mut Repaired,
) -> Result<(), Error> {
    let sql = format!("SELECT * FROM {table} NOT INDEXED WHERE id >= ?1 ORDER BY id LIMIT 1");
    let Ok(mut read) = source.prepare(&sql) else { return Ok(()) };
    let columns = read.column_count();
    let marks = vec!["?"; columns].join(", ");
    let Ok(mut write) = target.prepare(&format!("INSERT OR IGNORE INTO {table} VALUES({marks})")) else {
        return Ok(());
    };
    let (mut id, mut unreadable) = (1_i64, 0_u64);
    loop {
        let row = read.query_row([id], |row| {
            (0..columns).map(|index| row.get(index)).collect::<Result<Vec<Value>, _>>()
        });
        let values = match row {
            Ok(values) => values,
            Err(rusqlite::Error::QueryReturnedNoRows) => break,
            // Past the bad page, one id at a time. Rows lost this way can only be guessed at, so the ids are counted
            // when a later row shows that there were some.
            Err(_) => {
                let step = if unreadable < PATIENCE { 1 } else { unreadable };
                unreadable += step;
                match i64::try_from(step).ok().and_then(|step| id.checked_add(step)) {
                    Some(next) => id = next,
                    None => break,
                }
                continue;
            }
        };
        let found = match values.first() {
            Some(&Value::Integer(found)) if found >= id => found,
            _ => id,
        };
        match write.execute(rusqlite::params_from_iter(values)) {
            Ok(copied) => {
                saved.lost += unreadable;
                saved.changes += if table == "change" { copied as u64 } else { 0 };
                saved.blobs += if table == "blob" { copied as u64 } else { 0 };
            }
            // A row that the new table does not take is as lost as one that cannot be read.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                saved.lost += unreadable + 1;
            }
            Err(error) => return Err(error.into()),
        }
        unreadable = 0;
        let Some(next) = found.checked_add(1) else { break };
        id = next;
    }
    Ok(())
}
