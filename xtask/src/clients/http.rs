//! Just enough HTTP/1.1 for a scripted peer: one request a connection.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, OnceLock};

/// Longest head and body that are read.
const MAX_HEAD: u64 = 64 * 1024;
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A request as it came.
pub(super) struct Request {
    /// Method, path and version.
    pub(super) line: String,
    pub(super) headers: Vec<String>,
    pub(super) body: Vec<u8>,
}

impl Request {
    fn read(stream: &TcpStream) -> io::Result<Self> {
        let mut reader = BufReader::new(stream).take(MAX_HEAD);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut headers = Vec::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let header = header.trim_end();
            if header.is_empty() {
                break;
            }
            headers.push(header.to_owned());
        }
        let named: BTreeMap<String, &str> = headers
            .iter()
            .filter_map(|it| it.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
            .collect();
        let length = named.get("content-length").and_then(|it| it.parse().ok()).unwrap_or(0usize);
        let mut body = vec![0; length.min(MAX_BODY)];
        reader.set_limit(MAX_BODY as u64);
        reader.read_exact(&mut body)?;
        Ok(Self { line: line.trim_end().to_owned(), headers, body })
    }
}

/// Answers on a free port of this machine, each connection on a thread of its own, until the process ends.
pub(super) fn serve(
    answer: impl Fn(Request, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || {
                let mut stream = stream;
                // A peer that hangs up half-way is its own loss.
                let _ = Request::read(&stream).and_then(|request| answer(request, &mut stream));
            });
        }
    });
    Ok(address)
}

/// Forwards every request to `upstream`, once that is known, with one more header.
pub(super) fn forward(upstream: Arc<OnceLock<String>>, header: String) -> io::Result<SocketAddr> {
    serve(move |request, stream| {
        let upstream = upstream.get().ok_or(io::ErrorKind::NotConnected)?;
        let mut head = format!("{}\r\n{header}\r\nConnection: close\r\n", request.line);
        for line in request.headers.iter().filter(|it| !it.to_ascii_lowercase().starts_with("connection:")) {
            head.push_str(&format!("{line}\r\n"));
        }
        let mut server = TcpStream::connect(upstream)?;
        server.write_all(format!("{head}\r\n").as_bytes())?;
        server.write_all(&request.body)?;
        io::copy(&mut server, stream).map(drop)
    })
}
