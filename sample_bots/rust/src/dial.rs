//! Where and how to dial: environment, flags, addresses in their order, credentials.
use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tokio_stream::Stream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint, Uri};
use tonic::{Request, Status, Streaming};
use tower::service_fn;

use crate::proto::referee_service_client::RefereeServiceClient;
use crate::proto::{PlayRequest, PlayResponse};
use crate::tls::Authority;

pub const USAGE: &str = "\
usage: TICHU_SERVER=ADDRESS bot [--plaintext] [--matches N] [--give-up SECONDS]

Dials a referee and plays. `referee play` sets the variables for the bots that it starts.

  TICHU_SERVER       unix:/path, host:port or [v6]:port; a comma list is tried in order
  TICHU_TOKEN        who the bot is
  TICHU_CA_FILE      PEM file of the authority that signs the referee's certificate; turns TLS on
  TICHU_BOT_NAME     name for display
  --plaintext        lets the token travel unencrypted to another machine
  --matches N        matches at once, 1 to 512 (64)
  --give-up SECONDS  how long to look for a referee that does not answer (60)

Exit status: 0 done, 1 a bug, 2 wrong use, 3 the referee is gone, 4 it refused this bot.";

const DEFAULT_NAME: &str = "greedy-rust";
const LONGEST_NAME: usize = 64;

/// What whoever starts the bot wants.
pub enum Start {
    Play(Box<Config>),
    Help,
}

pub struct Config {
    /// Addresses to try in order.
    pub servers: Vec<Address>,
    /// The secret that says who the bot is; none with an open identity on this machine.
    token: Option<MetadataValue<Ascii>>,
    /// The authority to trust; TLS is used if and only if it is set.
    ca: Option<Arc<Authority>>,
    /// True: secrets may leave this machine without TLS.
    plaintext: bool,
    pub bot_name: String,
    pub max_matches: u32,
    /// How long to look for a referee that does not answer.
    pub give_up: Duration,
}

/// Reads the environment and the flags; an error is one line that says what to set.
pub fn read_config(
    env: impl Fn(&str) -> Option<String>,
    flags: impl IntoIterator<Item = String>,
) -> Result<Start, String> {
    let env = |name: &str| env(name).filter(|value| !value.is_empty());
    let mut config = Config {
        servers: Vec::new(),
        token: None,
        ca: None,
        plaintext: false,
        bot_name: env("TICHU_BOT_NAME").unwrap_or_else(|| DEFAULT_NAME.to_string()),
        max_matches: 64,
        give_up: Duration::from_secs(60),
    };
    let mut flags = flags.into_iter();
    while let Some(flag) = flags.next() {
        match flag.as_str() {
            "--help" => return Ok(Start::Help),
            "--plaintext" => config.plaintext = true,
            "--matches" => config.max_matches = whole_number(&flag, flags.next(), 512)?,
            "--give-up" => {
                let seconds = whole_number(&flag, flags.next(), 86_400)?;
                config.give_up = Duration::from_secs(seconds.into());
            }
            _ => return Err(format!("{flag}: no such flag; --help lists them")),
        }
    }
    config.bot_name = config.bot_name.chars().take(LONGEST_NAME).collect();
    config.servers = read_servers(&env("TICHU_SERVER").unwrap_or_default())?;
    config.token = env("TICHU_TOKEN").map(|token| bearer(&token)).transpose()?;
    config.ca = env("TICHU_CA_FILE").map(|file| Authority::read(&file)).transpose()?;
    for address in &config.servers {
        config.check(address, false)?;
    }
    Ok(Start::Play(Box::new(config)))
}

fn whole_number(flag: &str, value: Option<String>, most: u32) -> Result<u32, String> {
    let number = value.as_deref().and_then(|text| text.parse().ok());
    let in_range = number.filter(|number| (1..=most).contains(number));
    in_range.ok_or_else(|| {
        let given = value.unwrap_or_else(|| "without a value".to_string());
        format!("{flag} {given}: a whole number from 1 to {most} is needed")
    })
}

fn read_servers(list: &str) -> Result<Vec<Address>, String> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let servers = names
        .map(|name| Address::parse(name).map_err(|error| format!("TICHU_SERVER: {error}")))
        .collect::<Result<Vec<Address>, String>>()?;
    if servers.is_empty() {
        return Err("TICHU_SERVER is not set: unix:/path, host:port, or a comma list".to_string());
    }
    Ok(servers)
}

fn bearer(token: &str) -> Result<MetadataValue<Ascii>, String> {
    let wrong = "TICHU_TOKEN holds a character that no token has: set it anew";
    if !token.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(wrong.to_string());
    }
    let mut value =
        format!("Bearer {token}").parse::<MetadataValue<Ascii>>().map_err(|_| wrong)?;
    value.set_sensitive(true);
    Ok(value)
}

impl Config {
    /// Refuses an address to which a secret would travel in the clear.
    pub fn check(&self, address: &Address, has_session_token: bool) -> Result<(), String> {
        let secret = self.token.is_some() || has_session_token;
        if !secret || self.plaintext || self.ca.is_some() || address.is_local() {
            return Ok(());
        }
        Err(format!(
            "{address} is not on this machine and the token would travel in the clear: \
             set TICHU_CA_FILE for TLS, or say --plaintext"
        ))
    }
}

/// Where a referee listens.
#[derive(Clone, Debug, PartialEq)]
pub enum Address {
    /// Path of a socket.
    Unix(String),
    /// `host:port` or `[v6]:port`.
    Tcp(String),
}

impl Address {
    pub fn parse(text: &str) -> Result<Address, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path);
            return match path {
                "" => Err(format!("{text} names no socket")),
                path => Ok(Address::Unix(path.to_string())),
            };
        }
        let uri = format!("http://{text}").parse::<Uri>().ok();
        let authority = uri.as_ref().and_then(Uri::authority);
        let whole = authority
            .filter(|part| part.as_str() == text && !part.host().is_empty() && !text.contains('@'));
        match whole.and_then(|part| part.port_u16()) {
            Some(1..) => Ok(Address::Tcp(text.to_string())),
            _ => Err(format!("{text:?} is neither unix:/path nor host:port")),
        }
    }

    /// True if what is sent there stays on this machine.
    pub fn is_local(&self) -> bool {
        let Address::Tcp(text) = self else { return true };
        let host = text.rsplit_once(':').map_or(text.as_str(), |(host, _)| host);
        let loopback = host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback());
        loopback || host == "localhost" || host == "[::1]"
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Unix(path) => write!(f, "unix:{path}"),
            Address::Tcp(text) => f.write_str(text),
        }
    }
}

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
const MOST_REDIRECTS: u32 = 5;

/// Decides which address is dialled next, and after which pause.
pub struct Route {
    servers: Vec<Address>,
    queue: VecDeque<Address>,
    /// Where the last Welcome came from.
    last: Option<Address>,
    /// In a row, without a Welcome.
    redirects: u32,
    pause: Duration,
}

impl Route {
    /// `servers` must not be empty.
    pub fn new(servers: &[Address]) -> Route {
        Route {
            servers: servers.to_vec(),
            queue: servers.iter().cloned().collect(),
            last: None,
            redirects: 0,
            pause: FIRST_PAUSE,
        }
    }

    /// The next address; after the last one the list begins again, the last good one first.
    pub fn next_address(&mut self) -> Address {
        if self.queue.is_empty() {
            let others = self.servers.iter().filter(|server| Some(*server) != self.last.as_ref());
            self.queue = self.last.iter().chain(others).cloned().collect();
        }
        self.queue.pop_front().expect("a route has servers")
    }

    pub fn welcomed(&mut self, address: &Address) {
        self.last = Some(address.clone());
        self.queue.clear();
        self.redirects = 0;
        self.pause = FIRST_PAUSE;
    }

    /// Dials the address named next; false after five in a row, which leads nowhere.
    pub fn redirected(&mut self, address: Address) -> bool {
        self.redirects += 1;
        self.queue.push_front(address);
        self.redirects <= MOST_REDIRECTS
    }

    /// Pause before the next dial: none while addresses are untried.
    pub fn failed(&mut self) -> Duration {
        self.redirects = 0;
        if !self.queue.is_empty() {
            return Duration::ZERO;
        }
        let pause = self.pause;
        self.pause = LONGEST_PAUSE.min(2 * pause);
        pause
    }
}

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// A frame of the referee: 256 KiB, and room for later ones.
const LARGEST_FRAME: usize = 16 * 1024 * 1024;

/// Opens a stream. A connection that cannot be made is UNAVAILABLE.
pub async fn open(
    address: &Address,
    config: &Config,
    requests: impl Stream<Item = PlayRequest> + Send + 'static,
) -> Result<Streaming<PlayResponse>, Status> {
    let channel = connect(address, config).await;
    let channel = channel.map_err(|error| Status::unavailable(causes(&error)))?;
    let mut client = RefereeServiceClient::new(channel).max_decoding_message_size(LARGEST_FRAME);
    let mut request = Request::new(requests);
    if let Some(token) = &config.token {
        request.metadata_mut().insert("authorization", token.clone());
    }
    Ok(client.play(request).await?.into_inner())
}

async fn connect(address: &Address, config: &Config) -> Result<Channel, tonic::transport::Error> {
    match (address, &config.ca) {
        (Address::Unix(path), _) => {
            let path = path.clone();
            let dial = move |_: Uri| {
                let path = path.clone();
                async move { UnixStream::connect(path).await.map(TokioIo::new) }
            };
            let endpoint = Endpoint::from_static("http://localhost");
            let endpoint = endpoint.connect_timeout(CONNECT_WITHIN);
            endpoint.connect_with_connector(service_fn(dial)).await
        }
        (Address::Tcp(text), None) => endpoint("http", text)?.connect().await,
        (Address::Tcp(text), Some(ca)) => {
            let host = text.rsplit_once(':').map_or(text.as_str(), |(host, _)| host);
            let host = host.trim_start_matches('[').trim_end_matches(']');
            let tls = ClientTlsConfig::new().domain_name(host);
            let endpoint = endpoint("https", text)?;
            endpoint.tls_config_with_verifier(tls, ca.clone())?.connect().await
        }
    }
}

fn endpoint(scheme: &str, authority: &str) -> Result<Endpoint, tonic::transport::Error> {
    let endpoint = Endpoint::from_shared(format!("{scheme}://{authority}"))?;
    Ok(endpoint.connect_timeout(CONNECT_WITHIN).tcp_nodelay(true))
}

/// An error with what it came from, in one line.
fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
