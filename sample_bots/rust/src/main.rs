//! The process: dials, plays until the referee or a signal ends it, comes back after a lost link.
//! Exit codes: 0 done, 1 a bug, 2 wrong use, 3 the referee is gone, 4 it refused this bot.
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tichu_sample::dial::{self, Address, Config, Route, Start};
use tichu_sample::proto::{Closing, ClosingCode, Goodbye, PlayRequest, PlayResponse, Pong};
use tichu_sample::session::Session;
use tichu_sample::{say, strategy};
use tokio::runtime::Runtime;
use tokio::select;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender, WeakUnboundedSender};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Status, Streaming};

const DONE: u8 = 0;
const BUG: u8 = 1;
const WRONG_USE: u8 = 2;
const GONE: u8 = 3;
const REFUSED: u8 = 4;

const WELCOME_WITHIN: Duration = Duration::from_secs(10);
const LAST_TRY_WITHIN: Duration = Duration::from_secs(1);
const LAST_WORD_WITHIN: Duration = Duration::from_secs(2);

/// How a stream ended.
enum End {
    /// By a signal to this process.
    Stopped,
    /// By Redirect or Moved.
    Elsewhere(String),
    Closed(Closing),
    /// By a status, or without an answer.
    Over(Status),
}

/// What follows a stream: another one after a pause, or the end of the process.
enum Next {
    Dial(Duration),
    Exit(u8),
}

struct Bot {
    config: Arc<Config>,
    session: Session,
    route: Route,
    stop: Stop,
    /// True: the running stream, or the last one, had a Welcome.
    welcomed: bool,
    /// Start of the process, or end of the last stream with a Welcome.
    last_contact: Instant,
    last_trouble: String,
    /// The stream that was left last, on its way to its end.
    leaving: Option<JoinHandle<()>>,
}

impl Bot {
    fn new(config: Config) -> io::Result<Bot> {
        Ok(Bot {
            session: Session::new(&config.bot_name, config.max_matches, strategy::decide),
            route: Route::new(&config.servers),
            config: Arc::new(config),
            stop: Stop::new()?,
            welcomed: false,
            last_contact: Instant::now(),
            last_trouble: String::new(),
            leaving: None,
        })
    }

    /// Plays until the end; returns the exit code.
    async fn run(&mut self) -> u8 {
        loop {
            let address = self.route.next_address();
            if let Err(line) = self.config.check(&address, self.session.has_token()) {
                say(&line);
                return WRONG_USE;
            }
            self.welcomed = false;
            let end = self.play(&address).await;
            if self.welcomed {
                self.last_contact = Instant::now();
            }
            match self.after(&address, end) {
                Next::Exit(code) => return code,
                Next::Dial(pause) => select! {
                    () = sleep(pause) => {}
                    _ = self.stop.signalled() => return DONE,
                },
            }
        }
    }

    /// Lives through one stream.
    async fn play(&mut self, address: &Address) -> End {
        let (outbox, requests) = mpsc::unbounded_channel();
        let (inbox, mut frames) = mpsc::unbounded_channel();
        let _ = outbox.send(self.session.hello());
        let opening = open(address.clone(), self.config.clone(), requests);
        tokio::spawn(read(opening, inbox, outbox.downgrade()));
        let left = self.config.give_up.saturating_sub(self.last_contact.elapsed());
        let patience = Instant::now() + left.clamp(LAST_TRY_WITHIN, WELCOME_WITHIN);
        loop {
            let frame = select! {
                frame = frames.recv() => frame,
                () = sleep_until(patience), if !self.welcomed => None,
                name = self.stop.signalled() => {
                    let _ = outbox.send(goodbye(name));
                    finish(outbox, frames).await;
                    return End::Stopped;
                }
            };
            let frame = match frame {
                Some(Ok(frame)) => frame,
                Some(Err(status)) => return End::Over(status),
                None => return End::Over(Status::deadline_exceeded("no answer to Hello")),
            };
            self.take_in(&frame, address, &outbox);
            if let Some(closing) = frame.closing {
                finish(outbox, frames).await;
                return End::Closed(closing);
            }
            let redirect = frame.redirect.map(|redirect| redirect.address);
            if let Some(target) = redirect.or(frame.moved.map(|moved| moved.address)) {
                // The clocks of open asks run: do not wait for this stream's last word.
                self.leave(tokio::spawn(finish(outbox, frames)));
                return End::Elsewhere(target);
            }
        }
    }

    /// Lets a stream come to its end; of those that were left only the last one has time for it.
    fn leave(&mut self, leaving: JoinHandle<()>) {
        if let Some(older) = self.leaving.replace(leaving) {
            older.abort();
        }
    }

    /// Answers one frame.
    fn take_in(
        &mut self,
        frame: &PlayResponse,
        address: &Address,
        outbox: &UnboundedSender<PlayRequest>,
    ) {
        if frame.welcome.is_some() {
            self.welcomed = true;
            self.last_trouble.clear();
            self.route.welcomed(address);
            say(&format!("connected to {address} as {}", self.config.bot_name));
        }
        if let Some(request) = self.session.reply(frame) {
            let _ = outbox.send(request); // a stream that is over has a status, read next
        }
    }

    /// What the end of a stream means for the process.
    fn after(&mut self, address: &Address, end: End) -> Next {
        match end {
            End::Stopped => Next::Exit(DONE),
            End::Elsewhere(target) => self.follow(&target),
            End::Closed(closing) if closing.retry => self.lost(address, &closing.text),
            End::Closed(closing) => {
                let code = closing.code();
                say(&format!("the referee closes: {} {}", code.as_str_name(), closing.text));
                let in_order = matches!(code, ClosingCode::Draining | ClosingCode::Superseded);
                Next::Exit(if in_order { DONE } else { REFUSED })
            }
            End::Over(status) => self.over(address, &status),
        }
    }

    fn follow(&mut self, target: &str) -> Next {
        let address = match Address::parse(target) {
            Ok(address) => address,
            Err(error) => {
                say(&format!("the referee sends this bot elsewhere: {error}"));
                return Next::Exit(REFUSED);
            }
        };
        if self.route.redirected(address) {
            return Next::Dial(Duration::ZERO);
        }
        say("gave up: more than five redirects in a row, the referees go in a circle");
        Next::Exit(REFUSED)
    }

    fn over(&mut self, address: &Address, status: &Status) -> Next {
        let text = format!("{:?}: {}", status.code(), status.message());
        match status.code() {
            Code::Aborted => {
                say(&format!("another process took over: {}", status.message()));
                Next::Exit(DONE)
            }
            Code::Unauthenticated | Code::InvalidArgument | Code::FailedPrecondition
                if !self.welcomed =>
            {
                say(&format!("refused by the referee: {text}"));
                Next::Exit(REFUSED)
            }
            _ => self.lost(address, &text),
        }
    }

    /// Dials again, unless no referee has welcomed this bot for too long.
    fn lost(&mut self, address: &Address, text: &str) -> Next {
        let trouble = format!("no link to {address}: {text}");
        if trouble != self.last_trouble {
            say(&trouble);
            self.last_trouble = trouble;
        }
        let left = self.config.give_up.saturating_sub(self.last_contact.elapsed());
        if left.is_zero() {
            say(&format!("gave up: no referee for {} s", self.config.give_up.as_secs()));
            return Next::Exit(GONE);
        }
        Next::Dial(self.route.failed().min(left))
    }
}

// --- the stream

type Frame = Result<PlayResponse, Status>;

async fn open(
    address: Address,
    config: Arc<Config>,
    requests: UnboundedReceiver<PlayRequest>,
) -> Result<Streaming<PlayResponse>, Status> {
    dial::open(&address, &config, UnboundedReceiverStream::new(requests)).await
}

/// Reads frames to the end of the stream, whose status comes last. It never waits for the strategy,
/// and answers pings itself.
async fn read(
    opening: impl Future<Output = Result<Streaming<PlayResponse>, Status>>,
    inbox: UnboundedSender<Frame>,
    outbox: WeakUnboundedSender<PlayRequest>,
) {
    let reading = async {
        let mut stream = match opening.await {
            Ok(stream) => stream,
            Err(status) => return status,
        };
        loop {
            let frame = match stream.message().await {
                Ok(Some(frame)) => frame,
                Ok(None) => return Status::new(Code::Ok, "the stream ended"),
                Err(status) => return status,
            };
            // Behind a Goodbye there is no outbox any more.
            if let (Some(ping), Some(outbox)) = (&frame.ping, outbox.upgrade()) {
                let _ = outbox.send(pong(ping.number));
            }
            let _ = inbox.send(Ok(frame));
        }
    };
    select! {
        status = reading => {
            let _ = inbox.send(Err(status));
        }
        () = inbox.closed() => {} // nobody listens any more: let go of the stream
    }
}

/// Half-closes, and does not wait for ever for the other side to agree.
async fn finish(outbox: UnboundedSender<PlayRequest>, mut frames: UnboundedReceiver<Frame>) {
    drop(outbox);
    let last_word = async { while let Some(Ok(_)) = frames.recv().await {} };
    let _ = timeout(LAST_WORD_WITHIN, last_word).await;
}

fn pong(number: u32) -> PlayRequest {
    PlayRequest { pong: Some(Pong { number }), ..Default::default() }
}

fn goodbye(text: &str) -> PlayRequest {
    PlayRequest { goodbye: Some(Goodbye { text: text.to_string() }), ..Default::default() }
}

// --- the process

/// The signals that end the bot in good order.
struct Stop {
    term: Signal,
    int: Signal,
}

impl Stop {
    fn new() -> io::Result<Stop> {
        let term = signal(SignalKind::terminate())?;
        let int = signal(SignalKind::interrupt())?;
        Ok(Stop { term, int })
    }

    async fn signalled(&mut self) -> &'static str {
        select! {
            _ = self.term.recv() => "SIGTERM",
            _ = self.int.recv() => "SIGINT",
        }
    }
}

fn main() -> ExitCode {
    // A panic is one line. In the strategy it costs one answer, elsewhere it ends the process.
    panic::set_hook(Box::new(|panic| say(&format!("bug: {panic}"))));
    // What is no UTF-8 is not as good as unset: a token that holds it is refused.
    let env = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    match dial::read_config(env, std::env::args().skip(1)) {
        Ok(Start::Play(config)) => ExitCode::from(run(*config)),
        Ok(Start::Help) => {
            println!("{}", dial::USAGE);
            ExitCode::from(DONE)
        }
        Err(line) => {
            say(&line);
            ExitCode::from(WRONG_USE)
        }
    }
}

/// Runs the bot; a panic becomes its exit code.
fn run(config: Config) -> u8 {
    let playing = AssertUnwindSafe(|| {
        let runtime = Runtime::new()?;
        let code = runtime.block_on(async { Ok(Bot::new(config)?.run().await) });
        runtime.shutdown_background(); // a look-up of a host name may hang
        code
    });
    match panic::catch_unwind(playing) {
        Ok(Ok(code)) => code,
        Ok(Err::<u8, io::Error>(error)) => {
            say(&format!("bug: {error}"));
            BUG
        }
        Err(_) => BUG,
    }
}
