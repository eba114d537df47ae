//! From results to text: every result of every tool passes through here before anybody reads it.

mod choke;
mod diff;
mod mask;
mod names;
mod spill;
mod values;

pub(crate) use choke::{Guard, clean};
pub(crate) use diff::diff_views;
pub(crate) use mask::mask_window;
pub(crate) use names::{echo, show_name};
pub(crate) use spill::spill;
pub(crate) use values::mask_values;
