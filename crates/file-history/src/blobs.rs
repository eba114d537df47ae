//! Content in and out of the store: hashing, deduplication, chains of patches.

use crate::{
    codec,
    error::{Error, Gap},
    seal::{self, At},
    store::{BlobHead, BlobId, Hash, Rows, RowsMut},
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

/// Takes away every content that neither a change nor another content needs, and returns how many.
///
/// A content that only patches refer to is kept, or with `Rebase::Yes` those patches are made to stand alone first,
/// so that nothing of it is left.
pub(crate) fn sweep(tx: &mut impl RowsMut, rebase: Rebase) -> Result<u64, Error> {
    use std::collections::{HashMap, HashSet};

    const PAGE: usize = 4096; // rows held in memory at a time
    let mut used = HashSet::new();
    let mut scan = crate::store::Scan { which: crate::store::Which::All, limit: PAGE, ..Default::default() };
    loop {
        let rows = tx.changes(&scan)?;
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
        let heads = tx.blobs(after, PAGE)?;
        bases.extend(heads.iter().map(|head| (head.id, head.base)));
        match heads.last() {
            Some(last) if heads.len() == PAGE => after = last.id,
            _ => break,
        }
    }
    if rebase == Rebase::Yes {
        let broken: Vec<BlobId> = used
            .iter()
            .copied()
            .filter(|id| matches!(bases.get(id), Some(Some(base)) if !used.contains(base)))
            .collect();
        for id in broken {
            stand_alone(tx, id)?;
            bases.insert(id, None);
        }
    }
    // Whatever a needed content is a patch of is needed as well.
    let mut needed = HashSet::new();
    for &id in &used {
        let mut next = Some(id);
        while let Some(id) = next {
            if !needed.insert(id) {
                break;
            }
            next = bases.get(&id).copied().flatten();
        }
    }
    let mut dead: Vec<BlobId> = bases.keys().copied().filter(|id| !needed.contains(id)).collect();
    // A patch is always younger than its base: youngest first never leaves a patch without its base.
    dead.sort_unstable_by(|a, b| b.cmp(a));
    for &id in &dead {
        tx.drop_blob(id)?;
    }
    Ok(dead.len() as u64)
}

/// Says what happens to patches of a content that goes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rebase {
    /// The content stays for their sake.
    No,
    /// They are coded anew, alone.
    Yes,
}

/// Codes a patch anew so that it needs no base. Its dependants stay valid: their base has the same content.
fn stand_alone(tx: &mut impl RowsMut, id: BlobId) -> Result<(), Error> {
    let (Some(content), Some(head)) = (load_plain(tx, id)?, tx.blob(id)?) else { return Ok(()) };
    let (codec, data) = codec::encode(&content, None);
    tx.put_blob(&BlobHead { base: None, depth: 0, codec, ..head }, &data)
}
