//! Addresses, and the order and the pauses in which they are dialled.
use std::time::Duration;

use tichu_sample::dial::{Address, Route};

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

#[test]
fn addresses_are_sockets_or_hosts_with_a_port() {
    for text in ["unix:/run/x", "unix:x", "127.0.0.1:1", "referee.example.org:65535", "[::1]:50051"]
    {
        assert_eq!(address(text).to_string(), text);
    }
    assert_eq!(address("unix:///run/x").to_string(), "unix:/run/x");
    for text in [
        "",
        "unix:",
        "host",
        "host:",
        "host:0",
        "host:65536",
        ":1",
        "::1:1",
        "u@host:1",
        "host:1/x",
    ] {
        assert!(Address::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn only_sockets_and_loopback_are_on_this_machine() {
    for text in ["unix:/run/x", "127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"] {
        assert!(address(text).is_local(), "{text}");
    }
    for text in ["127.example.org:1", "10.0.0.1:1", "localhost.example.org:1", "[::2]:1"] {
        assert!(!address(text).is_local(), "{text}");
    }
}

#[test]
fn pauses_grow_from_100_ms_to_2_s_and_start_again_after_a_welcome() {
    let only = address("a:1");
    let mut route = Route::new(std::slice::from_ref(&only));
    for ms in [100, 200, 400, 800, 1600, 2000, 2000] {
        assert_eq!(route.next_address(), only);
        assert_eq!(route.failed(), Duration::from_millis(ms));
    }
    route.welcomed(&only);
    assert_eq!(route.failed(), Duration::from_millis(100));
}

#[test]
fn all_addresses_are_tried_without_a_pause_and_the_last_good_one_first() {
    let [a, b, c] = ["a:1", "b:1", "c:1"].map(address);
    let mut route = Route::new(&[a.clone(), b.clone()]);
    assert_eq!((route.next_address(), route.failed()), (a.clone(), Duration::ZERO));
    assert_eq!(route.next_address(), b);
    assert!(route.redirected(c.clone()));
    assert_eq!(route.next_address(), c);
    route.welcomed(&c);
    assert_eq!(route.failed(), Duration::from_millis(100));
    assert_eq!(
        [route.next_address(), route.next_address(), route.next_address(), route.next_address()],
        [c.clone(), a, b, c]
    );
}
