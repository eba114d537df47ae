//! The cipher.

use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};

use super::{KEY_BYTES, NONCE_BYTES};

/// Encrypts; `None` only for content that is longer than the cipher allows (256 GiB).
pub(super) fn encrypt(
    key: &[u8; KEY_BYTES],
    nonce: &[u8; NONCE_BYTES],
    aad: &[u8],
    content: &[u8],
) -> Option<Vec<u8>> {
    XChaCha20Poly1305::new(key.into()).encrypt(&XNonce::from(*nonce), Payload { msg: content, aad }).ok()
}

/// Decrypts; `None` if key, nonce, associated data and content do not belong together.
pub(super) fn decrypt(
    key: &[u8; KEY_BYTES],
    nonce: &[u8; NONCE_BYTES],
    aad: &[u8],
    sealed: &[u8],
) -> Option<Vec<u8>> {
    XChaCha20Poly1305::new(key.into()).decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad }).ok()
}
