//! The tables in SQL.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{APPLICATION_ID, PLAIN_FORMAT, SEALED_FORMAT};
use crate::{
    codec,
    error::Error,
    store::{
        BlobHead, BlobId, ChangeRow, ContextId, Hash, Orphans, OwnerId, PathId, Rows, RowsMut, Scan, SetKind,
        SetRow, SetStatus, Size, StateKind, StoredState, TaskId, Which,
    },
    version::{ChangeId, Op, Outcome, SetId, UnixMillis},
};

/// Data of a blob comes last: reading what precedes it touches no overflow page. There are no foreign keys, since
/// every check of one would need two more indexes that each recorded change would pay for; `verify` checks instead.
pub(super) const SCHEMA: &str = "
CREATE TABLE path(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE) STRICT;
CREATE TABLE task(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE context(
    id INTEGER PRIMARY KEY, task_id INTEGER NOT NULL, goal TEXT NOT NULL, run TEXT NOT NULL) STRICT;
CREATE INDEX context_task ON context(task_id);
CREATE TABLE blob(
    id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, base_id INTEGER, depth INTEGER NOT NULL,
    codec INTEGER NOT NULL, raw_len INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE change(
    id INTEGER PRIMARY KEY AUTOINCREMENT, set_id INTEGER, path_id INTEGER NOT NULL, context_id INTEGER,
    task_id INTEGER, at_ms INTEGER NOT NULL, op INTEGER NOT NULL, tool TEXT NOT NULL,
    before_kind INTEGER NOT NULL, before_blob INTEGER, before_len INTEGER NOT NULL, before_mode INTEGER,
    after_kind INTEGER NOT NULL, after_blob INTEGER, after_len INTEGER NOT NULL, after_mode INTEGER,
    from_id INTEGER, outcome INTEGER NOT NULL, temp BLOB, new_dirs INTEGER NOT NULL, owner INTEGER NOT NULL) STRICT;
CREATE INDEX change_path ON change(path_id);
CREATE INDEX change_task ON change(task_id) WHERE task_id IS NOT NULL;
CREATE INDEX change_set_id ON change(set_id) WHERE set_id IS NOT NULL;
CREATE INDEX change_at ON change(at_ms);
CREATE INDEX change_unfinished ON change(id) WHERE outcome = 0 OR temp IS NOT NULL;
CREATE TABLE change_set(
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, status INTEGER NOT NULL, total INTEGER NOT NULL,
    applied INTEGER NOT NULL, owner INTEGER NOT NULL) STRICT;
";

/// The tables that a repair copies, in order, with what finds their highest id.
pub(super) const TABLES: [&str; 6] = ["path", "task", "context", "blob", "change", "change_set"];

const CHANGE: &str = "id, set_id, path_id, context_id, task_id, at_ms, op, tool, before_kind, before_blob, \
    before_len, before_mode, after_kind, after_blob, after_len, after_mode, from_id, outcome, temp, new_dirs, owner";
const HEAD: &str = "id, hash, base_id, depth, codec, raw_len";
const SET: &str = "id, kind, status, total, applied, owner";

/// Creates the tables in one transaction, so that a crash leaves an empty file or a whole one.
pub(super) fn create(connection: &Connection) -> Result<(), Error> {
    Ok(connection.execute_batch(&format!(
        "BEGIN IMMEDIATE; {SCHEMA} PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={PLAIN_FORMAT}; COMMIT;"
    ))?)
}

/// Gives the unfinished changes of an owner that is gone to nobody.
pub(super) fn disown(connection: &Connection, owner: OwnerId) -> Result<(), Error> {
    let changes = "owner = ?1 AND (outcome = 0 OR temp IS NOT NULL)";
    let found: bool = connection.query_row(
        &format!(
            "SELECT EXISTS(SELECT 1 FROM change WHERE {changes})
                 OR EXISTS(SELECT 1 FROM change_set WHERE owner = ?1 AND status = 0)"
        ),
        [owner.0],
        |row| row.get(0),
    )?;
    if found {
        connection.execute(&format!("UPDATE change SET owner = 0 WHERE {changes}"), [owner.0])?;
        connection.execute("UPDATE change_set SET owner = 0 WHERE owner = ?1 AND status = 0", [owner.0])?;
    }
    Ok(())
}

/// Reads the tables within a snapshot.
#[derive(Debug)]
pub struct SqlView<'a>(pub(super) &'a Connection);

/// Reads and changes the tables within a transaction.
#[derive(Debug)]
pub struct SqlTx<'a>(SqlView<'a>, u64);

fn damaged(what: &str, number: i64) -> Error {
    Error::StoreDamaged(format!("{what} {number} has no meaning"))
}

/// Looks a number of the store up in the table of its meanings.
fn meaning<T: Copy>(table: &[T], what: &str, number: i64) -> Result<T, Error> {
    let index = usize::try_from(number).map_err(|_| damaged(what, number))?;
    table.get(index).copied().ok_or_else(|| damaged(what, number))
}

/// Finds the number that stands for a value.
fn number<T: PartialEq>(table: &[T], value: &T) -> i64 {
    table.iter().position(|known| known == value).map_or(-1, |index| index as i64)
}

fn id(number: i64) -> u64 {
    number as u64
}

fn state(row: &Row<'_>, first: usize) -> Result<StoredState, Error> {
    let mode: Option<i64> = row.get(first + 3)?;
    Ok(StoredState {
        kind: meaning(StateKind::ALL, "state", row.get(first)?)?,
        blob: row.get::<_, Option<i64>>(first + 1)?.map(|blob| BlobId(id(blob))),
        len: id(row.get(first + 2)?),
        mode: mode.map(|mode| mode as u32),
    })
}

fn change(row: &Row<'_>) -> Result<ChangeRow, Error> {
    let optional = |index: usize| row.get::<_, Option<i64>>(index).map(|number| number.map(id));
    Ok(ChangeRow {
        id: ChangeId(id(row.get(0)?)),
        set: optional(1)?.map(SetId),
        path: PathId(id(row.get(2)?)),
        context: optional(3)?.map(ContextId),
        task: optional(4)?.map(TaskId),
        at: UnixMillis(row.get(5)?),
        op: meaning(Op::ALL, "operation", row.get(6)?)?,
        tool: row.get(7)?,
        before: state(row, 8)?,
        after: state(row, 12)?,
        from: optional(16)?.map(ChangeId),
        outcome: meaning(Outcome::ALL, "outcome", row.get(17)?)?,
        temp: row.get(18)?,
        new_dirs: row.get::<_, i64>(19)? as u32,
        owner: OwnerId(row.get::<_, i64>(20)? as u32),
    })
}

fn head(row: &Row<'_>) -> Result<BlobHead, Error> {
    Ok(BlobHead {
        id: BlobId(id(row.get(0)?)),
        hash: row.get::<_, Hash>(1)?,
        base: row.get::<_, Option<i64>>(2)?.map(|base| BlobId(id(base))),
        depth: row.get::<_, i64>(3)? as u32,
        codec: u8::try_from(row.get::<_, i64>(4)?).unwrap_or(u8::MAX),
        raw_len: id(row.get(5)?),
    })
}

fn set(row: &Row<'_>) -> Result<SetRow, Error> {
    Ok(SetRow {
        id: SetId(id(row.get(0)?)),
        kind: meaning(SetKind::ALL, "kind of set", row.get(1)?)?,
        status: meaning(SetStatus::ALL, "status", row.get(2)?)?,
        total: row.get::<_, i64>(3)? as u32,
        applied: row.get::<_, i64>(4)? as u32,
        owner: OwnerId(row.get::<_, i64>(5)? as u32),
    })
}

impl SqlView<'_> {
    /// Runs a query of at most one row.
    fn one<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl FnOnce(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut statement = self.0.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    }

    /// Runs a query of any number of rows.
    fn all<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        read: impl Fn(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut statement = self.0.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }
}

/// Which ids a range of time has.
enum Ids {
    None,
    Within(u64, u64),
    /// So many that the newest rows are bound to be among them.
    Many,
}

impl SqlView<'_> {
    /// Returns the lowest and the highest id in a range of time, from the index alone: times do not order ids, but what
    /// lies between the two can be passed over by id, newest first, without sorting.
    fn ids_since(&self, from: UnixMillis, to: Option<UnixMillis>) -> Result<Ids, Error> {
        /// Without an upper bound, more rows than this make a lower bound needless.
        const MANY: i64 = 1000;
        let limit = if to.is_some() { -1 } else { MANY };
        let sql = "SELECT count(*), min(id), max(id) FROM (SELECT id FROM change INDEXED BY change_at
            WHERE at_ms >= ?1 AND at_ms < ?2 LIMIT ?3)";
        let to = to.map_or(i64::MAX, |to| to.0);
        let found = self.one(sql, [from.0, to, limit], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?, row.get::<_, Option<i64>>(2)?))
        })?;
        Ok(match found {
            Some((count, Some(_), Some(_))) if count == limit => Ids::Many,
            Some((_, Some(first), Some(last))) => Ids::Within(id(first), id(last)),
            _ => Ids::None,
        })
    }
}

impl Rows for SqlView<'_> {
    fn path_id(&self, name: &[u8]) -> Result<Option<PathId>, Error> {
        self.one("SELECT id FROM path WHERE name = ?1", [name], |row| Ok(PathId(id(row.get(0)?))))
    }

    fn path(&self, path: PathId) -> Result<Option<Vec<u8>>, Error> {
        self.one("SELECT name FROM path WHERE id = ?1", [path.0 as i64], |row| Ok(row.get(0)?))
    }

    fn task_id(&self, key: &str) -> Result<Option<TaskId>, Error> {
        self.one("SELECT id FROM task WHERE key = ?1", [key], |row| Ok(TaskId(id(row.get(0)?))))
    }

    fn context(&self, context: ContextId) -> Result<Option<[String; 3]>, Error> {
        let sql = "SELECT coalesce(task.key, ''), goal, run FROM context
            LEFT JOIN task ON task.id = task_id WHERE context.id = ?1";
        self.one(sql, [context.0 as i64], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
    }

    fn change(&self, wanted: ChangeId) -> Result<Option<ChangeRow>, Error> {
        self.one(&format!("SELECT {CHANGE} FROM change WHERE id = ?1"), [wanted.0 as i64], change)
    }

    fn changes(&self, scan: &Scan) -> Result<Vec<ChangeRow>, Error> {
        let number = |id: Option<u64>| id.map(|id| id as i64);
        let narrow = scan.path.is_some() || scan.task.is_some() || scan.set.is_some();
        let mut scan = *scan;
        if let Some(from) = scan.from.filter(|_| !narrow && scan.which != Which::Unfinished) {
            match self.ids_since(from, scan.to)? {
                Ids::None => return Ok(Vec::new()),
                Ids::Many => {}
                Ids::Within(first, last) => {
                    scan.above = scan.above.max(Some(ChangeId(first.saturating_sub(1))));
                    let below = ChangeId(last.saturating_add(1));
                    scan.below = Some(scan.below.map_or(below, |known| known.min(below)));
                }
            }
        }
        let conditions = [
            ("path_id =", number(scan.path.map(|id| id.0))),
            ("task_id =", number(scan.task.map(|id| id.0))),
            ("set_id =", number(scan.set.map(|id| id.0))),
            ("at_ms >=", scan.from.map(|at| at.0)),
            ("at_ms <", scan.to.map(|at| at.0)),
            ("id <", number(scan.below.map(|id| id.0))),
            ("id >", number(scan.above.map(|id| id.0))),
        ];
        let mut sql = format!("SELECT {CHANGE} FROM change WHERE ");
        sql.push_str(match scan.which {
            Which::Visible => "outcome <> 2",
            Which::All => "1",
            Which::Unfinished => "(outcome = 0 OR temp IS NOT NULL)",
        });
        let mut values = Vec::with_capacity(conditions.len() + 1);
        for (condition, value) in conditions {
            if let Some(value) = value {
                values.push(value);
                // A unary plus keeps SQLite from going by time: it would have to sort what it finds.
                let plus = if condition.starts_with("at_ms") { "+" } else { "" };
                sql.push_str(&format!(" AND {plus}{condition} ?{}", values.len()));
            }
        }
        sql.push_str(" ORDER BY id DESC");
        if scan.limit != 0 {
            values.push(i64::try_from(scan.limit).unwrap_or(i64::MAX));
            sql.push_str(&format!(" LIMIT ?{}", values.len()));
        }
        self.all(&sql, rusqlite::params_from_iter(values), change)
    }

    fn last_change(&self) -> Result<ChangeId, Error> {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'change'";
        Ok(self.one(sql, [], |row| Ok(ChangeId(id(row.get(0)?))))?.unwrap_or(ChangeId(0)))
    }

    fn blob(&self, blob: BlobId) -> Result<Option<BlobHead>, Error> {
        self.one(&format!("SELECT {HEAD} FROM blob WHERE id = ?1"), [blob.0 as i64], head)
    }

    fn blob_data(&self, blob: BlobId) -> Result<Option<Vec<u8>>, Error> {
        self.one("SELECT data FROM blob WHERE id = ?1", [blob.0 as i64], |row| Ok(row.get(0)?))
    }

    fn blob_with(&self, hash: &Hash) -> Result<Option<BlobId>, Error> {
        self.one("SELECT id FROM blob WHERE hash = ?1", [hash], |row| Ok(BlobId(id(row.get(0)?))))
    }

    fn blobs(&self, after: BlobId, limit: usize) -> Result<Vec<BlobHead>, Error> {
        let sql = format!("SELECT {HEAD} FROM blob WHERE id > ?1 ORDER BY id LIMIT ?2");
        self.all(&sql, params![after.0 as i64, limit as i64], head)
    }

    fn set(&self, wanted: SetId) -> Result<Option<SetRow>, Error> {
        self.one(&format!("SELECT {SET} FROM change_set WHERE id = ?1"), [wanted.0 as i64], set)
    }

    fn sets(&self, status: SetStatus) -> Result<Vec<SetRow>, Error> {
        let sql = format!("SELECT {SET} FROM change_set WHERE status = ?1 ORDER BY id");
        self.all(&sql, [number(SetStatus::ALL, &status)], set)
    }

    fn orphans(&self) -> Result<Orphans, Error> {
        let ids = |sql: &str| self.all(sql, [], |row| Ok(id(row.get(0)?)));
        let sets = "SELECT id FROM change_set
            WHERE NOT EXISTS(SELECT 1 FROM change WHERE set_id = change_set.id) ORDER BY id";
        let paths = "SELECT id FROM path
            WHERE NOT EXISTS(SELECT 1 FROM change WHERE path_id = path.id) ORDER BY id";
        let contexts = "SELECT id FROM context
            WHERE id NOT IN (SELECT context_id FROM change WHERE context_id IS NOT NULL) ORDER BY id";
        Ok(Orphans {
            sets: ids(sets)?.into_iter().map(SetId).collect(),
            paths: ids(paths)?.into_iter().map(PathId).collect(),
            contexts: ids(contexts)?.into_iter().map(ContextId).collect(),
        })
    }

    fn size(&self) -> Result<Size, Error> {
        let count = |sql: &str| Ok::<_, Error>(self.one(sql, [], |row| Ok(id(row.get(0)?)))?.unwrap_or(0));
        let pages =
            count("SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count")?;
        Ok(Size {
            changes: count("SELECT count(*) FROM change")?,
            blobs: count("SELECT count(*) FROM blob")?,
            paths: count("SELECT count(*) FROM path")?,
            tasks: count("SELECT count(*) FROM task")?,
            raw_bytes: count("SELECT coalesce(sum(raw_len), 0) FROM blob")?,
            stored_bytes: pages.saturating_mul(count("SELECT page_size FROM pragma_page_size")?),
        })
    }
}

impl<'a> SqlTx<'a> {
    pub(super) fn new(connection: &'a Connection) -> Self {
        Self(SqlView(connection), PLAIN_FORMAT)
    }

    /// The format that the store has to have once this is committed.
    pub(super) fn format(&self) -> u64 {
        self.1
    }

    fn needs(&mut self, head: &BlobHead) {
        if head.codec == codec::SEALED {
            self.1 = SEALED_FORMAT;
        }
    }

    fn run(&self, sql: &str, params: impl rusqlite::Params) -> Result<(), Error> {
        self.0.0.prepare_cached(sql)?.execute(params)?;
        Ok(())
    }

    fn last_id(&self) -> u64 {
        id(self.0.0.last_insert_rowid())
    }

    fn write_change(&self, sql: &str, change_id: Option<ChangeId>, row: &ChangeRow) -> Result<(), Error> {
        let StoredState { kind, blob, len, mode } = row.before;
        let number_of = |id: Option<u64>| id.map(|id| id as i64);
        self.run(
            sql,
            params![
                change_id.map(|id| id.0 as i64),
                number_of(row.set.map(|id| id.0)),
                row.path.0 as i64,
                number_of(row.context.map(|id| id.0)),
                number_of(row.task.map(|id| id.0)),
                row.at.0,
                number(Op::ALL, &row.op),
                row.tool,
                number(StateKind::ALL, &kind),
                number_of(blob.map(|id| id.0)),
                len as i64,
                mode,
                number(StateKind::ALL, &row.after.kind),
                number_of(row.after.blob.map(|id| id.0)),
                row.after.len as i64,
                row.after.mode,
                number_of(row.from.map(|id| id.0)),
                number(Outcome::ALL, &row.outcome),
                row.temp,
                row.new_dirs,
                row.owner.0,
            ],
        )
    }
}

impl Rows for SqlTx<'_> {
    fn path_id(&self, name: &[u8]) -> Result<Option<PathId>, Error> {
        self.0.path_id(name)
    }

    fn path(&self, path: PathId) -> Result<Option<Vec<u8>>, Error> {
        self.0.path(path)
    }

    fn task_id(&self, key: &str) -> Result<Option<TaskId>, Error> {
        self.0.task_id(key)
    }

    fn context(&self, context: ContextId) -> Result<Option<[String; 3]>, Error> {
        self.0.context(context)
    }

    fn change(&self, wanted: ChangeId) -> Result<Option<ChangeRow>, Error> {
        self.0.change(wanted)
    }

    fn changes(&self, scan: &Scan) -> Result<Vec<ChangeRow>, Error> {
        self.0.changes(scan)
    }

    fn last_change(&self) -> Result<ChangeId, Error> {
        self.0.last_change()
    }

    fn blob(&self, blob: BlobId) -> Result<Option<BlobHead>, Error> {
        self.0.blob(blob)
    }

    fn blob_data(&self, blob: BlobId) -> Result<Option<Vec<u8>>, Error> {
        self.0.blob_data(blob)
    }

    fn blob_with(&self, hash: &Hash) -> Result<Option<BlobId>, Error> {
        self.0.blob_with(hash)
    }

    fn blobs(&self, after: BlobId, limit: usize) -> Result<Vec<BlobHead>, Error> {
        self.0.blobs(after, limit)
    }

    fn set(&self, wanted: SetId) -> Result<Option<SetRow>, Error> {
        self.0.set(wanted)
    }

    fn sets(&self, status: SetStatus) -> Result<Vec<SetRow>, Error> {
        self.0.sets(status)
    }

    fn orphans(&self) -> Result<Orphans, Error> {
        self.0.orphans()
    }

    fn size(&self) -> Result<Size, Error> {
        self.0.size()
    }
}

impl RowsMut for SqlTx<'_> {
    fn add_path(&mut self, name: &[u8]) -> Result<PathId, Error> {
        if let Some(known) = self.path_id(name)? {
            return Ok(known);
        }
        self.run("INSERT INTO path(name) VALUES(?1)", [name])?;
        Ok(PathId(self.last_id()))
    }

    fn add_context(
        &mut self,
        task: &str,
        goal: &str,
        run: &str,
    ) -> Result<(ContextId, Option<TaskId>), Error> {
        let task_id = match (task, self.task_id(task)?) {
            ("", _) => None,
            (_, Some(known)) => Some(known),
            _ => {
                self.run("INSERT INTO task(key) VALUES(?1)", [task])?;
                Some(TaskId(self.last_id()))
            }
        };
        // 0 stands for "no task", so that equality finds it.
        let key = task_id.map_or(0, |task| task.0 as i64);
        let sql = "SELECT id FROM context WHERE task_id = ?1 AND goal = ?2 AND run = ?3";
        let mut statement = self.0.0.prepare_cached(sql)?;
        let known: Option<i64> = statement.query_row(params![key, goal, run], |row| row.get(0)).optional()?;
        drop(statement);
        if let Some(known) = known {
            return Ok((ContextId(id(known)), task_id));
        }
        self.run("INSERT INTO context(task_id, goal, run) VALUES(?1, ?2, ?3)", params![key, goal, run])?;
        Ok((ContextId(self.last_id()), task_id))
    }

    fn add_change(&mut self, row: &ChangeRow) -> Result<ChangeId, Error> {
        let sql = format!(
            "INSERT INTO change({CHANGE}) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, \
             ?15, ?16, ?17, ?18, ?19, ?20, ?21)"
        );
        self.write_change(&sql, None, row)?;
        Ok(ChangeId(self.last_id()))
    }

    fn put_change(&mut self, row: &ChangeRow) -> Result<(), Error> {
        let sql = "UPDATE change SET set_id = ?2, path_id = ?3, context_id = ?4, task_id = ?5, at_ms = ?6, op = ?7,
            tool = ?8, before_kind = ?9, before_blob = ?10, before_len = ?11, before_mode = ?12, after_kind = ?13,
            after_blob = ?14, after_len = ?15, after_mode = ?16, from_id = ?17, outcome = ?18, temp = ?19,
            new_dirs = ?20, owner = ?21 WHERE id = ?1";
        self.write_change(sql, Some(row.id), row)
    }

    fn drop_change(&mut self, wanted: ChangeId) -> Result<(), Error> {
        self.run("DELETE FROM change WHERE id = ?1", [wanted.0 as i64])
    }

    fn add_blob(&mut self, head: &BlobHead, data: &[u8]) -> Result<BlobId, Error> {
        self.needs(head);
        let BlobHead { hash, base, depth, codec, raw_len, .. } = head;
        self.run(
            "INSERT INTO blob(hash, base_id, depth, codec, raw_len, data) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
            params![hash, base.map(|base| base.0 as i64), depth, codec, *raw_len as i64, data],
        )?;
        Ok(BlobId(self.last_id()))
    }

    fn put_blob(&mut self, head: &BlobHead, data: &[u8]) -> Result<(), Error> {
        self.needs(head);
        let BlobHead { id, hash, base, depth, codec, raw_len } = head;
        self.run(
            "UPDATE blob SET hash = ?2, base_id = ?3, depth = ?4, codec = ?5, raw_len = ?6, data = ?7 WHERE id = ?1",
            params![
                id.0 as i64,
                hash,
                base.map(|base| base.0 as i64),
                depth,
                codec,
                *raw_len as i64,
                data
            ],
        )
    }

    fn drop_blob(&mut self, blob: BlobId) -> Result<(), Error> {
        self.run("DELETE FROM blob WHERE id = ?1", [blob.0 as i64])
    }

    fn add_set(&mut self, row: &SetRow) -> Result<SetId, Error> {
        self.run(
            "INSERT INTO change_set(kind, status, total, applied, owner) VALUES(?1, ?2, ?3, ?4, ?5)",
            params![
                number(SetKind::ALL, &row.kind),
                number(SetStatus::ALL, &row.status),
                row.total,
                row.applied,
                row.owner.0
            ],
        )?;
        Ok(SetId(self.last_id()))
    }

    fn put_set(&mut self, row: &SetRow) -> Result<(), Error> {
        self.run(
            "UPDATE change_set SET kind = ?2, status = ?3, total = ?4, applied = ?5, owner = ?6 WHERE id = ?1",
            params![
                row.id.0 as i64,
                number(SetKind::ALL, &row.kind),
                number(SetStatus::ALL, &row.status),
                row.total,
                row.applied,
                row.owner.0
            ],
        )
    }

    fn drop_task(&mut self, task: TaskId) -> Result<(), Error> {
        self.run("DELETE FROM task WHERE id = ?1", [task.0 as i64])
    }

    fn drop_orphans(&mut self, orphans: &Orphans, since: ChangeId) -> Result<(), Error> {
        for set in &orphans.sets {
            let sql =
                "DELETE FROM change_set WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM change WHERE set_id = ?1)";
            self.run(sql, [set.0 as i64])?;
        }
        for path in &orphans.paths {
            let sql =
                "DELETE FROM path WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM change WHERE path_id = ?1)";
            self.run(sql, [path.0 as i64])?;
        }
        for context in &orphans.contexts {
            // There is no index by context: it would cost every recorded change. What came since is little.
            let sql = "DELETE FROM context WHERE id = ?1
                AND NOT EXISTS(SELECT 1 FROM change WHERE id > ?2 AND context_id = ?1)";
            self.run(sql, [context.0 as i64, since.0 as i64])?;
        }
        Ok(())
    }
}
