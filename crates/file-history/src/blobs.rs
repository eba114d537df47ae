//! Content in and out of the store: hashing, deduplication, chains of patches.

use std::collections::{HashMap, HashSet};

use crate::{
    codec,
    error::{Error, Gap},
    seal::{self, At},
    store::{BlobHead, BlobId, Hash, Rows, RowsMut, Scan, Which},
    version::ChangeId,
};

/// Hashes content.
pub(crate) fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// Stores `bytes` unless they are stored already. `base` is the content they are likely a patch of.
pub(crate) fn intern(
    tx: &mut impl RowsMut,
    bytes: &[u8],
    base: Option<(BlobId, &[u8])>,
) -> Result<BlobId, Error> {
    let hash = hash(bytes);
    if let Some(id) = tx.blob_with(&hash)? {
        return Ok(id);
    }
    let base = match base {
        Some((id, content)) => match tx.blob(id)? {
            // A patch would tell what it is a patch of: sealed content is no base.
            Some(head) if head.depth < codec::MAX_DEPTH && head.codec != codec::SEALED => {
                Some((head, content))
            }
            _ => None,
        },
        None => None,
    };
    let (codec, data) = codec::encode(bytes, base.as_ref().map(|&(_, content)| content));
    let base = base.filter(|_| codec == codec::PATCH).map(|(head, _)| head);
    let head = BlobHead {
        id: BlobId(0),
        hash,
        base: base.as_ref().map(|base| base.id),
        depth: base.map_or(0, |base| base.depth + 1),
        codec,
        raw_len: bytes.len() as u64,
    };
    tx.add_blob(&head, &data)
}

/// Stores `bytes` sealed for the change with this id, always as a content of its own.
pub(crate) fn intern_sealed(
    tx: &mut impl RowsMut,
    at: At<'_>,
    change: ChangeId,
    bytes: &[u8],
) -> Result<BlobId, Error> {
    let path = path_of(tx, at)?;
    let (hash, data) = seal::seal(at.keys, change, &path, bytes)?;
    let raw_len = bytes.len() as u64;
    tx.add_blob(&BlobHead { id: BlobId(0), hash, base: None, depth: 0, codec: codec::SEALED, raw_len }, &data)
}

fn path_of(rows: &impl Rows, at: At<'_>) -> Result<Vec<u8>, Error> {
    rows.path(at.path)?.ok_or_else(|| Error::StoreDamaged(format!("path {} is missing", at.path.0)))
}

/// Tells whether a stored content is `bytes`, by its hash; `None` where it is sealed and the key is not there.
pub(crate) fn is_content(
    rows: &impl Rows,
    at: At<'_>,
    id: BlobId,
    bytes: &[u8],
) -> Result<Option<bool>, Error> {
    let Some(head) = rows.blob(id)? else { return Ok(Some(false)) };
    if head.codec != codec::SEALED {
        return Ok(Some(head.hash == hash(bytes)));
    }
    let Some(data) = rows.blob_data(id)? else { return Ok(Some(false)) };
    Ok(seal::is_content(at.keys, &path_of(rows, at)?, &head, &data, bytes))
}

/// Reads a stored content and checks it against its hash, or says why it cannot be read: it is missing or damaged, or
/// sealed with a key that is not there.
pub(crate) fn load(rows: &impl Rows, at: At<'_>, id: BlobId) -> Result<Result<Vec<u8>, Gap>, Error> {
    match rows.blob(id)? {
        Some(head) if head.codec == codec::SEALED => {
            let Some(data) = rows.blob_data(id)? else { return Ok(Err(Gap::Damaged)) };
            Ok(seal::open(at.keys, &path_of(rows, at)?, &head, &data))
        }
        _ => Ok(load_plain(rows, id)?.ok_or(Gap::Damaged)),
    }
}

/// The same for content that is not sealed; `None` if it is missing or damaged.
pub(crate) fn load_plain(rows: &impl Rows, id: BlobId) -> Result<Option<Vec<u8>>, Error> {
    // From the wanted content down to its key frame; a chain that does not get shorter is damage.
    let mut chain = Vec::new();
    let mut next = Some(id);
    while let Some(id) = next {
        if chain.len() > codec::MAX_DEPTH as usize {
            return Ok(None);
        }
        let Some(head) = rows.blob(id)? else { return Ok(None) };
        next = head.base;
        chain.push(head);
    }
    let mut content: Option<Vec<u8>> = None;
    let wanted = chain.first().map(|head| head.hash);
    for head in chain.iter().rev() {
        let Some(data) = rows.blob_data(head.id)? else { return Ok(None) };
        match codec::decode(head.codec, head.raw_len, &data, content.as_deref()) {
            Ok(decoded) => content = Some(decoded),
            Err(codec::Malformed) => return Ok(None),
        }
    }
    Ok(content.filter(|content| Some(hash(content)) == wanted))
}

/// Rows looked at in one go.
const PAGE: usize = 4096;

/// Which contents changes refer to, and what each content is a patch of.
struct Census {
    used: HashSet<BlobId>,
    bases: HashMap<BlobId, Option<BlobId>>,
}

fn census(rows: &impl Rows) -> Result<Census, Error> {
    let mut used = HashSet::new();
    let mut scan = Scan { which: Which::All, limit: PAGE, ..Default::default() };
    loop {
        let rows = rows.changes(&scan)?;
        for row in &rows {
            used.extend([row.before.blob, row.after.blob].into_iter().flatten());
        }
        match rows.last() {
            Some(last) if rows.len() == PAGE => scan.below = Some(last.id),
            _ => break,
        }
    }
    let mut bases = HashMap::new();
    let mut after = BlobId(0);
    loop {
        let heads = rows.blobs(after, PAGE)?;
        bases.extend(heads.iter().map(|head| (head.id, head.base)));
        match heads.last() {
            Some(last) if heads.len() == PAGE => after = last.id,
            _ => break,
        }
    }
    Ok(Census { used, bases })
}

impl Census {
    /// Returns what nothing needs, youngest first: a patch is always younger than its base, so that this order never
    /// leaves a patch without its base.
    fn dead(&self) -> Vec<BlobId> {
        // Whatever a needed content is a patch of is needed as well.
        let mut needed = HashSet::new();
        for &id in &self.used {
            let mut next = Some(id);
            while let Some(id) = next {
                if !needed.insert(id) {
                    break;
                }
                next = self.bases.get(&id).copied().flatten();
            }
        }
        let mut dead: Vec<BlobId> = self.bases.keys().copied().filter(|id| !needed.contains(id)).collect();
        dead.sort_unstable_by(|a, b| b.cmp(a));
        dead
    }
}

/// Takes away every content that no change needs, and returns how many. Patches of what goes away are made to stand
/// alone first, so that nothing of it is left.
pub(crate) fn sweep(tx: &mut impl RowsMut) -> Result<u64, Error> {
    let mut census = census(tx)?;
    let broken: Vec<BlobId> = census
        .used
        .iter()
        .copied()
        .filter(|id| matches!(census.bases.get(id), Some(Some(base)) if !census.used.contains(base)))
        .collect();
    for id in broken {
        stand_alone(tx, id)?;
        census.bases.insert(id, None);
    }
    let dead = census.dead();
    for &id in &dead {
        tx.drop_blob(id)?;
    }
    Ok(dead.len() as u64)
}

/// Contents that nothing needed at one moment, and what shows whether something needs them since.
pub(crate) struct Dead {
    /// Youngest first, with the length of each.
    pub(crate) contents: Vec<(BlobId, u64)>,
    last_change: ChangeId,
    last_blob: BlobId,
}

/// Finds the contents that neither a change nor a patch needs.
pub(crate) fn find_dead(rows: &impl Rows) -> Result<Dead, Error> {
    let census = census(rows)?;
    let last_blob = census.bases.keys().max().copied().unwrap_or(BlobId(0));
    let mut contents = Vec::new();
    for id in census.dead() {
        contents.extend(rows.blob(id)?.map(|head| (id, head.raw_len)));
    }
    Ok(Dead { contents, last_change: rows.last_change()?, last_blob })
}

/// Takes some of them away, but for those that a change or a patch refers to which came since they were found.
pub(crate) fn drop_dead(tx: &mut impl RowsMut, dead: &Dead, some: &[(BlobId, u64)]) -> Result<u64, Error> {
    let scan = Scan { above: Some(dead.last_change), which: Which::All, ..Default::default() };
    let since = tx.changes(&scan)?;
    let mut roots: Vec<BlobId> =
        since.iter().flat_map(|row| [row.before.blob, row.after.blob]).flatten().collect();
    let mut after = dead.last_blob;
    loop {
        let heads = tx.blobs(after, PAGE)?;
        roots.extend(heads.iter().filter_map(|head| head.base));
        match heads.last() {
            Some(last) if heads.len() == PAGE => after = last.id,
            _ => break,
        }
    }
    let mut needed = HashSet::new();
    for root in roots {
        let mut next = Some(root);
        while let Some(id) = next.filter(|&id| needed.insert(id)) {
            next = tx.blob(id)?.and_then(|head| head.base);
        }
    }
    let mut dropped = 0;
    for &(id, _) in some.iter().filter(|(id, _)| !needed.contains(id)) {
        tx.drop_blob(id)?;
        dropped += 1;
    }
    Ok(dropped)
}

/// Codes a patch anew so that it needs no base. Its dependants stay valid: their base has the same content.
fn stand_alone(tx: &mut impl RowsMut, id: BlobId) -> Result<(), Error> {
    let (Some(content), Some(head)) = (load_plain(tx, id)?, tx.blob(id)?) else { return Ok(()) };
    let (codec, data) = codec::encode(&content, None);
    tx.put_blob(&BlobHead { base: None, depth: 0, codec, ..head }, &data)
}
