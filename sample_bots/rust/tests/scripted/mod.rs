//! A real gRPC server for the tests, which say what it sends and see what it gets; and the built bot
//! as a process.
use std::future::Future;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use tichu_sample::proto::referee_service_server::{RefereeService, RefereeServiceServer};
use tichu_sample::proto::{Hello, PlayRequest, PlayResponse, Welcome};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// Generous: the machine may be busy.
const WITHIN: Duration = Duration::from_secs(60);

/// Waits for what must happen soon.
pub async fn soon<T>(what: &str, event: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(WITHIN, event).await;
    waited.unwrap_or_else(|_| panic!("waited {WITHIN:?} in vain for {what}"))
}

/// One stream of a bot, as the referee has it.
pub struct Stream {
    pub authorization: Option<String>,
    requests: Streaming<PlayRequest>,
    responses: UnboundedSender<Result<PlayResponse, Status>>,
}

impl Stream {
    /// The next frame of the bot; none when it half-closed.
    pub async fn next(&mut self) -> Option<PlayRequest> {
        soon("a frame of the bot", self.requests.message()).await.unwrap()
    }

    pub async fn frame(&mut self) -> PlayRequest {
        self.next().await.expect("the bot half-closed instead of sending a frame")
    }

    pub fn send(&self, frame: PlayResponse) {
        let _ = self.responses.send(Ok(frame));
    }

    /// Reads the Hello and accepts it.
    pub async fn welcome(&mut self, session_token: &str) -> Hello {
        let hello = self.frame().await.hello.expect("the first frame is no Hello");
        let welcome = Welcome {
            session_token: session_token.to_string(),
            protocol_version: 1,
            resumed: hello.session_token.is_some(),
            ..Default::default()
        };
        self.send(PlayResponse { welcome: Some(welcome), ..Default::default() });
        hello
    }

    pub fn end(self, status: Status) {
        let _ = self.responses.send(Err(status));
    }

    /// Waits until the bot let go of the stream.
    pub async fn gone(mut self) {
        let rest = async { while let Ok(Some(_)) = self.requests.message().await {} };
        soon("the end of the bot's stream", rest).await;
    }
}

/// Listens on a socket of this machine; stops when dropped.
pub struct Referee {
    pub address: String,
    streams: UnboundedReceiver<Stream>,
    serving: JoinHandle<()>,
}

impl Referee {
    /// Listens on a free port.
    pub async fn listen() -> Referee {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (door, streams) = door();
        let serving = tokio::spawn(async move {
            let mut links = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                links.spawn(serve(socket, door.clone()));
            }
        });
        Referee { address, streams, serving }
    }

    /// Listens on a unix socket.
    pub async fn listen_on(socket: &Path) -> Referee {
        let listener = UnixListener::bind(socket).unwrap();
        let address = format!("unix:{}", socket.display());
        let (door, streams) = door();
        let serving = tokio::spawn(async move {
            let mut links = JoinSet::new();
            while let Ok((socket, _)) = listener.accept().await {
                links.spawn(serve(socket, door.clone()));
            }
        });
        Referee { address, streams, serving }
    }

    /// The next stream that a bot opens.
    pub async fn stream(&mut self) -> Stream {
        soon("a stream of the bot", self.streams.recv()).await.unwrap()
    }

    /// Cuts all links without a word, and listens no more.
    pub async fn vanish(self) {
        self.serving.abort();
        let _ = self.serving.await; // the links are dropped with it
    }
}

#[derive(Clone)]
struct Door {
    streams: UnboundedSender<Stream>,
}

fn door() -> (Door, UnboundedReceiver<Stream>) {
    let (streams, opened) = unbounded_channel();
    (Door { streams }, opened)
}

#[tonic::async_trait]
impl RefereeService for Door {
    type PlayStream = UnboundedReceiverStream<Result<PlayResponse, Status>>;

    async fn play(
        &self,
        request: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let authorization = request.metadata().get("authorization");
        let authorization = authorization.map(|value| value.to_str().unwrap().to_string());
        let (responses, sent) = unbounded_channel();
        let requests = request.into_inner();
        let _ = self.streams.send(Stream { authorization, requests, responses });
        Ok(Response::new(UnboundedReceiverStream::new(sent)))
    }
}

async fn serve(socket: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, door: Door) {
    let service = TowerToHyperService::new(RefereeServiceServer::new(door));
    let link = http2::Builder::new(TokioExecutor::new());
    let _ = link.serve_connection(TokioIo::new(socket), service).await;
}

/// The built bot as a process; killed when dropped.
pub struct Bot {
    child: Option<Child>,
    pid: u32,
}

impl Bot {
    /// Starts it as a referee does, from a folder that is not its own.
    pub fn start(env: &[(&str, &str)], flags: &[&str]) -> Bot {
        let child = Command::new(env!("CARGO_BIN_EXE_bot"))
            .args(flags)
            .env_clear()
            .envs(env.iter().copied())
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Bot { pid: child.id(), child: Some(child) }
    }

    pub fn signal(&self, name: &str) {
        let words = [format!("-{name}"), self.pid.to_string()];
        assert!(Command::new("kill").args(words).status().unwrap().success());
    }

    /// Its exit code and its stderr; stdout must be empty.
    pub async fn exit(mut self) -> (Option<i32>, String) {
        let child = self.child.take().unwrap();
        let output = tokio::task::spawn_blocking(move || child.wait_with_output());
        let Output { status, stdout, stderr } =
            soon("the end of the bot", output).await.unwrap().unwrap();
        assert_eq!(String::from_utf8_lossy(&stdout), "");
        (status.code(), String::from_utf8_lossy(&stderr).into_owned())
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
