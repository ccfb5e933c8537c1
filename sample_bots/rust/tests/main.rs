//! The process against a scripted referee: streams, links, redirects, endings, exit codes.
mod scripted;

use scripted::{Bot, Referee, Stream};
use tichu_sample::proto::answer::Decision;
use tichu_sample::proto::ask::Kind;
use tichu_sample::proto::{
    ActAsk, Ask, BombAsk, Card, Closing, ClosingCode, Moved, Ping, Play, PlayRequest, PlayResponse,
    Redirect, Update, act_answer,
};
use tonic::Status;

fn turn(ask_id: u32) -> Ask {
    let play = Play { cards: vec![Card::Star6.into()], ..Default::default() };
    let act = ActAsk { plays: vec![play], leading: true, ..Default::default() };
    Ask { ask_id, kind: Some(Kind::Act(act)), ..Default::default() }
}

fn update(number: u32, asks: Vec<Ask>) -> Update {
    Update { r#match: number, asks, ..Default::default() }
}

fn updates(updates: Vec<Update>) -> PlayResponse {
    PlayResponse { updates, ..Default::default() }
}

/// Match, ask and what was decided.
fn decisions(frame: &PlayRequest) -> Vec<(u32, u32, &'static str)> {
    let decided = |decision: &Option<Decision>| match decision {
        Some(Decision::Act(act)) => match act.choice {
            Some(act_answer::Choice::Index(_)) => "play",
            _ => "pass",
        },
        Some(Decision::Bomb(_)) => "bomb",
        Some(Decision::DefaultAction(_)) => "default",
        _ => "other",
    };
    let answers = frame.answers.iter();
    answers.map(|answer| (answer.r#match, answer.ask_id, decided(&answer.decision))).collect()
}

/// Asks once more and sees the answer: the bot is there and plays.
async fn plays_on(stream: &mut Stream, ask_id: u32) {
    stream.send(updates(vec![update(1, vec![turn(ask_id)])]));
    assert_eq!(decisions(&stream.frame().await), [(1, ask_id, "play")]);
}

async fn says_goodbye(bot: Bot, mut stream: Stream, signal: &str) -> String {
    bot.signal(signal);
    let frame = stream.frame().await;
    assert_eq!(frame.goodbye.unwrap().text, format!("SIG{signal}"));
    assert!(stream.next().await.is_none(), "it half-closes");
    drop(stream);
    let (code, stderr) = bot.exit().await;
    assert_eq!(code, Some(0), "{stderr}");
    stderr
}

#[tokio::test]
async fn hello_names_bot_and_protocol_and_the_token_travels_as_metadata() {
    let mut referee = Referee::listen().await;
    let env = [
        ("TICHU_SERVER", referee.address.as_str()),
        ("TICHU_TOKEN", "secret"),
        ("TICHU_BOT_NAME", "Ada\n"),
    ];
    let bot = Bot::start(&env, &["--matches", "8"]);
    let mut stream = referee.stream().await;
    assert_eq!(stream.authorization.as_deref(), Some("Bearer secret"));
    let hello = stream.welcome("session secret").await;
    assert_eq!((hello.protocol_version, hello.max_matches), (1, 8));
    assert_eq!((hello.bot_name.as_str(), hello.session_token), ("Ada\n", None));
    assert_eq!(hello.sdk, "tichu-sample-rust 0.1");
    plays_on(&mut stream, 1).await;
    let stderr = says_goodbye(bot, stream, "TERM").await;
    assert_eq!(stderr, format!("connected to {} as Ada \n", referee.address));
}

#[tokio::test]
async fn pings_are_answered_and_all_asks_of_a_frame_in_one_frame() {
    let mut referee = Referee::listen().await;
    let bot = Bot::start(&[("TICHU_SERVER", &referee.address)], &[]);
    let mut stream = referee.stream().await;
    let hello = stream.welcome("s").await;
    assert_eq!((hello.bot_name.as_str(), hello.max_matches), ("greedy-rust", 64));
    let bomb = Ask { ask_id: 4, kind: Some(Kind::Bomb(BombAsk::default())), ..Default::default() };
    let unknown = Ask { ask_id: 9, ..Default::default() };
    let asks = (1..=64).map(|number| update(number, vec![turn(3), bomb.clone(), unknown.clone()]));
    let ping = Some(Ping { number: 7 });
    stream.send(PlayResponse { ping, updates: asks.collect(), ..Default::default() });
    assert_eq!(stream.frame().await.pong.unwrap().number, 7);
    let expected = (1..=64).flat_map(|n| [(n, 3, "play"), (n, 4, "bomb"), (n, 9, "default")]);
    assert_eq!(decisions(&stream.frame().await), expected.collect::<Vec<_>>());
    says_goodbye(bot, stream, "INT").await;
}

#[tokio::test]
async fn after_a_lost_link_the_bot_is_back_with_its_session() {
    let folder = Folder::new("lost");
    let socket = folder.0.join("referee");
    let mut referee = Referee::listen_on(&socket).await;
    let bot = Bot::start(&[("TICHU_SERVER", &referee.address)], &[]);
    let mut stream = referee.stream().await;
    stream.welcome("come back").await;
    plays_on(&mut stream, 1).await;
    stream.end(Status::unavailable("the link broke"));

    let mut stream = referee.stream().await;
    let hello = stream.welcome("come back again").await;
    assert_eq!(hello.session_token.as_deref(), Some("come back"));
    plays_on(&mut stream, 2).await;
    referee.vanish().await;
    std::fs::remove_file(&socket).unwrap();

    let mut referee = Referee::listen_on(&socket).await;
    let mut stream = referee.stream().await;
    let hello = stream.welcome("s").await;
    assert_eq!(hello.session_token.as_deref(), Some("come back again"));
    plays_on(&mut stream, 2).await;
    let stderr = says_goodbye(bot, stream, "TERM").await;
    assert_eq!(stderr.matches("connected to unix:").count(), 3, "{stderr}");
}

#[tokio::test]
async fn servers_are_tried_in_the_order_of_the_list() {
    let mut referee = Referee::listen().await;
    let servers = format!("unix:/nowhere/referee, ,{}", referee.address);
    let _bot = Bot::start(&[("TICHU_SERVER", &servers)], &[]);
    let mut stream = referee.stream().await;
    stream.welcome("s").await;
    plays_on(&mut stream, 1).await;
}

async fn redirect(from: &mut Referee, to: &str) {
    let mut stream = from.stream().await;
    stream.frame().await.hello.unwrap();
    let redirect = Some(Redirect { address: to.to_string() });
    stream.send(PlayResponse { redirect, ..Default::default() });
    stream.gone().await;
}

#[tokio::test]
async fn five_redirects_in_a_row_are_followed_and_a_sixth_is_not() {
    let (mut here, mut there) = (Referee::listen().await, Referee::listen().await);
    let bot = Bot::start(&[("TICHU_SERVER", &here.address)], &[]);
    let (home, target) = (here.address.clone(), there.address.clone());
    for _ in 0..4 {
        redirect(&mut here, &home).await;
    }
    redirect(&mut here, &target).await;
    let mut stream = there.stream().await;
    stream.welcome("s").await;
    plays_on(&mut stream, 1).await;
    stream.end(Status::internal("lost"));
    for _ in 0..6 {
        redirect(&mut there, &target).await;
    }
    let (code, stderr) = bot.exit().await;
    assert_eq!(code, Some(4), "{stderr}");
    assert!(stderr.contains("more than five redirects in a row"), "{stderr}");
}

#[tokio::test]
async fn moved_is_followed_at_once_with_the_session_and_all_answers() {
    let (mut here, mut there) = (Referee::listen().await, Referee::listen().await);
    let _bot = Bot::start(&[("TICHU_SERVER", &here.address)], &[]);
    let mut old = here.stream().await; // stays open on the referee's side
    old.welcome("on the road").await;
    let moved = Some(Moved { address: there.address.clone() });
    let asks = vec![update(1, vec![turn(1)])];
    old.send(PlayResponse { moved, updates: asks, ..Default::default() });
    assert_eq!(decisions(&old.frame().await), [(1, 1, "play")]);
    let mut stream = there.stream().await;
    assert_eq!(stream.welcome("s").await.session_token.as_deref(), Some("on the road"));
    plays_on(&mut stream, 2).await;
    there.vanish().await;
    // After a lost link there: that address, then the list.
    let mut back = here.stream().await;
    assert_eq!(back.welcome("s").await.session_token.as_deref(), Some("s"));
}

#[tokio::test]
async fn a_move_to_no_address_is_refused_and_one_that_would_tell_secrets_too() {
    for (target, expected, line) in
        [("elsewhere", 4, "host:port"), ("10.0.0.1:1", 2, "in the clear")]
    {
        let mut referee = Referee::listen().await;
        let bot = Bot::start(&[("TICHU_SERVER", &referee.address)], &[]);
        let mut stream = referee.stream().await;
        stream.welcome("session secret").await;
        let moved = Some(Moved { address: target.to_string() });
        stream.send(PlayResponse { moved, ..Default::default() });
        let (code, stderr) = bot.exit().await;
        assert_eq!(code, Some(expected), "{stderr}");
        assert!(stderr.contains(line) && !stderr.contains("secret"), "{stderr}");
    }
}

#[tokio::test]
async fn closing_says_whether_to_come_back() {
    use ClosingCode::{Draining, Flooding, Superseded};
    for (reason, expected) in
        [(Draining as i32, 0), (Superseded as i32, 0), (Flooding as i32, 4), (99, 4)]
    {
        let mut referee = Referee::listen().await;
        let bot = Bot::start(&[("TICHU_SERVER", &referee.address)], &[]);
        for retry in [true, false] {
            let mut stream = referee.stream().await;
            stream.welcome("s").await;
            let closing = Some(Closing { code: reason, text: "bye".to_string(), retry });
            stream.send(PlayResponse { closing, ..Default::default() });
            stream.end(Status::unavailable("bye"));
        }
        let (code, stderr) = bot.exit().await;
        assert_eq!(code, Some(expected), "{stderr}");
        assert!(stderr.contains("the referee closes"), "{stderr}");
    }
}

#[tokio::test]
async fn a_status_before_the_welcome_ends_the_bot_and_one_after_it_does_not() {
    for (status, expected) in [
        (Status::unauthenticated("unknown token"), 4),
        (Status::invalid_argument("hello.max_matches: 1 to 512"), 4),
        (Status::failed_precondition("speaks version 2"), 4),
        (Status::aborted("a newer stream"), 0),
    ] {
        let mut referee = Referee::listen().await;
        let bot = Bot::start(&[("TICHU_SERVER", &referee.address)], &[]);
        let mut stream = referee.stream().await;
        stream.welcome("s").await;
        stream.end(Status::unauthenticated("forgotten"));
        let stream = referee.stream().await;
        stream.end(status.clone());
        let (code, stderr) = bot.exit().await;
        assert_eq!(code, Some(expected), "{stderr}");
        assert!(stderr.contains(status.message()), "{stderr}");
    }
}

#[tokio::test]
async fn the_bot_gives_up_on_a_referee_that_is_not_there_or_says_nothing() {
    let silent = Referee::listen().await;
    for server in ["unix:/nowhere/referee", silent.address.as_str()] {
        let bot = Bot::start(&[("TICHU_SERVER", server)], &["--give-up", "1"]);
        let (code, stderr) = bot.exit().await;
        assert_eq!(code, Some(3), "{stderr}");
        assert!(stderr.contains("gave up: no referee for 1 s"), "{stderr}");
    }
}

#[tokio::test]
async fn a_signal_ends_a_bot_that_looks_for_its_referee() {
    let mut referee = Referee::listen().await;
    let bot = Bot::start(&[("TICHU_SERVER", &referee.address)], &[]);
    let mut stream = referee.stream().await;
    stream.frame().await;
    drop(stream);
    referee.vanish().await;
    bot.signal("TERM");
    assert_eq!(bot.exit().await.0, Some(0));
}

#[tokio::test]
async fn wrong_use_is_one_line_that_says_what_to_set() {
    let remote = [("TICHU_SERVER", "192.0.2.1:7"), ("TICHU_TOKEN", "secret")];
    let here = [("TICHU_SERVER", "unix:/run/x")];
    let no_ca = [("TICHU_SERVER", "unix:/run/x"), ("TICHU_CA_FILE", "/nowhere/ca.pem")];
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str);
    let token = |value| [("TICHU_SERVER", "unix:/run/x"), ("TICHU_TOKEN", value)];
    let (two_lines, umlaut) = (token("secret\n"), token("s\u{e4}secret"));
    let folder_ca = [("TICHU_SERVER", "unix:/run/x"), ("TICHU_CA_FILE", "/")];
    let no_pem = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let junk_ca = [("TICHU_SERVER", "127.0.0.1:1"), ("TICHU_CA_FILE", no_pem)];
    let cases: [Case<'_>; 17] = [
        (&two_lines, &[], "TICHU_TOKEN holds"),
        (&umlaut, &[], "TICHU_TOKEN holds"),
        (&folder_ca, &[], "TICHU_CA_FILE /: "),
        (&junk_ca, &[], "Cargo.toml: no certificate"),
        (&[("TICHU_SERVER", "host:0")], &[], "host:0"),
        (&[("TICHU_SERVER", "host:99999")], &[], "host:99999"),
        (&[("TICHU_SERVER", "unix:/run/x,host:http")], &[], "host:http"),
        (&[], &[], "TICHU_SERVER is not set"),
        (&[("TICHU_SERVER", " , ")], &[], "TICHU_SERVER is not set"),
        (&[("TICHU_SERVER", "localhost")], &[], "host:port"),
        (&remote, &[], "TICHU_CA_FILE for TLS, or say --plaintext"),
        (&no_ca, &[], "TICHU_CA_FILE /nowhere/ca.pem: "),
        (&here, &["--fast"], "--fast: no such flag"),
        (&here, &["--matches", "0"], "1 to 512"),
        (&here, &["--matches", "513"], "1 to 512"),
        (&here, &["--give-up", "soon"], "--give-up soon: a whole number"),
        (&here, &["--give-up"], "--give-up without a value"),
    ];
    for (env, flags, expected) in cases {
        let (code, stderr) = Bot::start(env, flags).exit().await;
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{stderr}");
        assert!(!stderr.contains("secret"), "{stderr}");
    }
}

/// A folder of this test, removed with it.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tichu-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
