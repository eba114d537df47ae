//! Random bytes of the system, as names and secrets.

use std::fmt::Write as _;
use std::io;

use rustix::rand::{GetRandomFlags, getrandom};

/// `bytes` random bytes in hexadecimal digits.
pub(super) fn hex(bytes: usize) -> io::Result<String> {
    let mut buffer = vec![0; bytes];
    let mut filled = 0;
    while filled < bytes {
        filled += getrandom(&mut buffer[filled..], GetRandomFlags::empty())?;
    }
    Ok(buffer.iter().fold(String::with_capacity(bytes * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
