//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[expect(clippy::disallowed_methods, reason = "what Cargo tells a build script")]
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}"));
    // At a fixed address nothing has to be moved when the program starts: thirty thousand
    // pointers in 140 pages, half a millisecond of five.
    if target("OS").as_deref() == Ok("linux") && target("ENV").as_deref() == Ok("gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
