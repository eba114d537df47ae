//! Without an index there is nothing to walk over.

use std::{
    convert::Infallible,
    io,
    marker::PhantomData,
    path::PathBuf,
    sync::{Arc, atomic::AtomicUsize},
};

use crate::{
    Query, Tree,
    spared::{Runs, Spared},
    walk::{Counts, DirNode},
};

/// There is none.
pub(crate) enum Warm {}

/// There is none.
pub(crate) struct Kept<'a, T: Tree> {
    pub(crate) counts: Counts,
    pub(crate) spared: Spared,
    pub(crate) unreadable: Vec<PathBuf>,
    never: Infallible,
    _tree: PhantomData<&'a T>,
}

impl<'a, T: Tree> Kept<'a, T> {
    pub(crate) fn new(
        _: &'a T,
        warm: &'a Warm,
        _: &'a Query,
        _: &Arc<AtomicUsize>,
        _: Option<(&[u8], bool)>,
    ) -> Self {
        match *warm {}
    }

    pub(crate) fn advance(&mut self) -> Option<u32> {
        match self.never {}
    }

    pub(crate) fn spares(&mut self, _: u32, _: &[u8]) -> bool {
        match self.never {}
    }

    pub(crate) fn spares_here(&mut self, _: u32) -> bool {
        match self.never {}
    }

    pub(crate) fn runs(&self, _: u32) -> Option<Arc<Runs>> {
        match self.never {}
    }

    pub(crate) fn modified(&self, _: u32) -> Option<i64> {
        match self.never {}
    }

    pub(crate) fn path(&self) -> &[u8] {
        match self.never {}
    }

    pub(crate) fn name(&self) -> &[u8] {
        match self.never {}
    }

    pub(crate) fn open_dir(&mut self) -> io::Result<Arc<DirNode<T::Dir>>> {
        match self.never {}
    }

    pub(crate) fn lose(&mut self) {
        match self.never {}
    }
}
