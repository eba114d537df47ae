//! JSON-RPC by line over standard input and output, with an answer to every line that cannot be understood.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, Notify};

/// Longest line: twice the largest text argument, since JSON escapes may double it, and a margin.
pub(super) const MAX_LINE_BYTES: usize = 130 * 1024 * 1024;
/// Answers that wait to be written. Above this no more is read: who does not take answers gets to send nothing more.
const MAX_UNSENT: usize = 1_024;
/// Bytes of a refused line that are kept to find its id.
const KEPT_BYTES: usize = 64 * 1024;

/// The transport.
pub(super) struct Lines {
    reader: BufReader<StdioReader>,
    writer: Arc<Writer>,
    line: Vec<u8>,
    over: bool,
}

/// Standard output, with what waits for it.
struct Writer {
    out: Mutex<StdioWriter>,
    unsent: AtomicUsize,
    sent: Notify,
}

/// A message from the moment it is ready until it is written, or given up.
struct Unsent(Arc<Writer>);

impl Unsent {
    fn new(writer: &Arc<Writer>) -> Self {
        writer.unsent.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(writer))
    }

    async fn write(self, mut text: String) -> io::Result<()> {
        text.push('\n');
        let mut out = self.0.out.lock().await;
        out.write_all(text.as_bytes()).await?;
        out.flush().await
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.0.unsent.fetch_sub(1, Ordering::Relaxed);
        self.0.sent.notify_one();
    }
}

impl Lines {
    pub(super) fn over_stdio() -> Self {
        let (reader, writer) = stdio_pipes();
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            writer: Arc::new(Writer {
                out: Mutex::new(writer),
                unsent: AtomicUsize::new(0),
                sent: Notify::new(),
            }),
            line: Vec::new(),
            over: false,
        }
    }

    /// Reads up to the next line end; `false` at the end of input. Safe to drop half-way: what was read is kept.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(false);
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            if self.over || self.line.len() + taken > MAX_LINE_BYTES {
                self.over = true;
                self.line.truncate(KEPT_BYTES);
                self.line.shrink_to(KEPT_BYTES);
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Answers a line that is no message. The answer is written by a task of its own, so that it is never torn when
    /// the reading is dropped half-way.
    fn refuse(&self, code: i64, message: &str, line: &[u8]) {
        let id = find_id(line).unwrap_or(Value::Null);
        let answer = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        let unsent = Unsent::new(&self.writer);
        tokio::spawn(async move { unsent.write(answer.to_string()).await });
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let unsent = Unsent::new(&self.writer);
        async move {
            let text = serde_json::to_string(&item)?;
            unsent.write(text).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while self.writer.unsent.load(Ordering::Relaxed) > MAX_UNSENT {
                self.writer.sent.notified().await;
            }
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) | Err(_) => return None,
            }
            let line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.over) {
                let message =
                    format!("the request is over {MAX_LINE_BYTES} bytes; send the content in parts");
                self.refuse(-32600, &message, &line);
                continue;
            }
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            match serde_json::from_slice(text) {
                Ok(message) => return Some(message),
                Err(error) if error.is_data() => {
                    self.refuse(-32600, "the line is JSON, but no JSON-RPC 2.0 message", text);
                }
                Err(error) => self.refuse(-32700, &format!("the line is not valid JSON: {error}"), text),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.out.lock().await.flush().await
    }
}

/// Finds the id of a message that does not parse: a number or a short string under the key `id` of the outermost
/// object. Linear in the line.
fn find_id(line: &[u8]) -> Option<Value> {
    let mut depth = 0usize;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b'"' => {
                let end = string_end(line, at)?;
                if depth == 1 && &line[at..end] == b"\"id\"" {
                    let rest = line[end..].trim_ascii_start();
                    if let Some(value) = rest.strip_prefix(b":") {
                        return id_value(value.trim_ascii_start());
                    }
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Offset behind the closing quote of the string that starts at `start`.
fn string_end(line: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < line.len() {
        match line[at] {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

fn id_value(text: &[u8]) -> Option<Value> {
    let end = if text.first() == Some(&b'"') {
        string_end(text, 0)?
    } else {
        text.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'-'))?
    };
    serde_json::from_slice(&text[..end]).ok().filter(|value: &Value| value.is_i64() || value.is_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::find_id;

    #[test]
    fn the_id_of_a_broken_message_is_found() {
        assert_eq!(find_id(br#"{"jsonrpc":"2.0","id":7,"params":{"path":"\ud800"}}"#), Some(json!(7)));
        assert_eq!(find_id(br#"{"params":{"id":1},"id": "a\"b" "#), Some(json!("a\"b")));
        assert_eq!(find_id(br#"{"params":{"id":1}}"#), None);
        assert_eq!(find_id(b"not json"), None);
        assert_eq!(find_id(br#"{"id":{}}"#), None);
        assert_eq!(find_id(br#"{"id":"#), None);
    }
}
