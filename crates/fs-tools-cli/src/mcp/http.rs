//! The streamable transport over HTTP/1.1: on loopback, with a bearer token, for named hosts and origins.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;

use super::args::McpArgs;
use super::server::{Desk, Server};
use super::token::Token;
use super::transport::MAX_LINE_BYTES;
use crate::output::{UsageError, note};

/// The one path that is served.
const PATH: &str = "/mcp";
/// Connections that are open at the same time; more wait to be accepted.
const CONNECTIONS: usize = 128;
/// Sessions that are open at the same time; a session ends after five minutes without a request.
const SESSIONS: usize = 128;
/// How long the head of a request may take.
const HEAD_PATIENCE: Duration = Duration::from_secs(10);
/// Wait after a connection could not be accepted, for want of descriptors most likely.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Server, LocalSessionManager>;

/// A socket that listens, and who may speak to it.
pub(super) struct Bound {
    listener: TcpListener,
    token: Token,
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Bound {
    /// Binds the address, and says where the server is and, if it made one up, with which token.
    ///
    /// # Errors
    ///
    /// An address that other machines can reach without the flag that allows it, an address that is taken, a token that
    /// cannot be read or is too short.
    pub(super) fn new(args: &McpArgs, address: SocketAddr) -> anyhow::Result<Self> {
        if !address.ip().is_loopback() && !args.http_allow_remote {
            return Err(UsageError::new(
                "address_not_loopback",
                format!("{address} can be reached from other machines, and the connection is not encrypted"),
                "use 127.0.0.1, or --http-allow-remote if you mean it",
            )
            .into());
        }
        let token = Token::find(args.http_token_file.as_deref())?;
        let listener =
            TcpListener::bind(address).with_context(|| format!("{address} cannot be listened on"))?;
        listener.set_nonblocking(true).context("the socket cannot be made ready")?;
        let at = listener.local_addr().context("the socket has no address")?;
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        if !at.ip().is_loopback() && !at.ip().is_unspecified() {
            hosts.push(at.ip().to_string());
        }
        hosts.extend(args.http_host.iter().cloned());
        // The server's own origin is no foreign one.
        let port = at.port();
        let mut origins = vec![format!("http://{at}"), format!("http://localhost:{port}")];
        origins.extend(args.http_origin.iter().cloned());
        note(&format!("fs-tools: listening on http://{at}{PATH}"));
        if let Some(secret) = token.made_up() {
            note(&format!("fs-tools: clients must send the header `Authorization: Bearer {secret}`"));
        }
        Ok(Self { listener, token, hosts, origins })
    }

    /// Answers until the process ends.
    pub(super) async fn serve(self, desk: Arc<Desk>) -> anyhow::Result<()> {
        let listener =
            tokio::net::TcpListener::from_std(self.listener).context("the socket cannot be used")?;
        let config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_allowed_hosts(self.hosts)
            .with_allowed_origins(self.origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_LINE_BYTES);
        let sessions = Arc::new(LocalSessionManager::default());
        let gate = Arc::new(Gate {
            service: Service::new(move || Ok(Server::new(Arc::clone(&desk))), Arc::clone(&sessions), config),
            sessions,
            token: self.token,
        });
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            // The semaphore is never closed.
            let place = Arc::clone(&connections).acquire_owned().await.ok();
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    note(&format!("fs-tools: warning: a connection could not be accepted: {error}"));
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let gate = Arc::clone(&gate);
            tokio::spawn(async move {
                let service = service_fn(move |request| {
                    let gate = Arc::clone(&gate);
                    async move { Ok::<_, Infallible>(gate.answer(request).await) }
                });
                // A connection that breaks ends; its requests are cancelled.
                let _ = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_PATIENCE)
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
                drop(place);
            });
        }
    }
}

struct Gate {
    service: Service,
    sessions: Arc<LocalSessionManager>,
    token: Token,
}

impl Gate {
    /// Lets a request through to the protocol when it has the token. Host and origin are checked by the service.
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if request.uri().path() != PATH {
            return refusal(StatusCode::NOT_FOUND, &format!("the protocol is served at {PATH}"));
        }
        let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        if !self.token.admits(sent) {
            let mut answer = refusal(
                StatusCode::UNAUTHORIZED,
                "send the header `Authorization: Bearer TOKEN` with the server's token",
            );
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return answer;
        }
        let header = |name: &str| request.headers().get(name).is_some();
        let may_open = !header("mcp-session-id") && !header("mcp-protocol-version");
        if may_open && self.sessions.sessions.read().await.len() >= SESSIONS {
            return refusal(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many sessions are open: end some of them with DELETE, or wait five minutes",
            );
        }
        self.service.handle(request).await
    }
}

fn refusal(status: StatusCode, text: &str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(format!("{text}\n"))).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
