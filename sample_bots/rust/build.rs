//! Generates the messages and the service from the protocol files, without protoc.
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A copy of this folder outside the repository has the protocol files in it.
    let proto = ["proto", "../../proto"]
        .map(|folder| own.join(folder))
        .into_iter()
        .find(|folder| folder.join("tichu").is_dir())
        .ok_or("no protocol files: proto/ or ../../proto/ must hold tichu/referee/v1")?;
    println!("cargo::rerun-if-changed={}", proto.display());
    let files = protox::compile(["tichu/referee/v1/referee.proto"], [proto])?;
    tonic_prost_build::configure()
        .build_transport(false) // the channel is made in dial.rs
        .compile_fds(files)?;
    Ok(())
}
