//! Proxies from the environment, for hosts other than this machine.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use super::server::{CERTIFICATE, error};
use super::*;

/// A host that is unreachable without the proxy.
const HOST: &str = "models.example";

/// `Basic` and the name and password of `ada:lace`.
const ADA: &str = "Basic YWRhOmxhY2U=";

fn through(folder: &TempDir, server: &Server, variables: &[(&str, &str)]) -> Ran {
    let args = run_args("openai/m", "1", &["--max-retries", "1"]);
    let mut command = command(folder.path(), server, &args);
    let file = folder.path().join("certificate.pem");
    std::fs::write(&file, CERTIFICATE).unwrap();
    command.env("SSL_CERT_FILE", file);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    Ran::of(command.envs(variables.iter().copied()).output().unwrap())
}

#[test]
fn http_requests_use_the_proxy() {
    // The proxy responds itself.
    let server = Server::start(dutiful);
    let folder = scenario();
    let proxy = server.root().replace("http://", "http://ada:lace@");
    let base = format!("http://{HOST}/v1");
    through(&folder, &server, &[("OPENAI_BASE_URL", &base), ("HTTP_PROXY", &proxy)]).ends(0);
    let log = server.log();
    assert_eq!(log.len(), 4);
    for asked in &log {
        assert_eq!(asked.path, format!("http://{HOST}/v1/chat/completions"));
        assert_eq!(asked.header("host"), Some(HOST));
        assert_eq!(asked.header("proxy-authorization"), Some(ADA));
    }
    for kept in ["run.json", "journal"] {
        let text = read(&folder, kept);
        assert!(!text.contains("lace") && !text.contains(ADA), "{kept}");
    }
}

/// Forwards everything to a server, and records the heads of requests.
fn tunnels(to: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = heads.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && client.read_exact(&mut byte).is_ok() {
                head.push(byte[0]);
            }
            kept.lock().unwrap().push(String::from_utf8(head).unwrap());
            let mut server = TcpStream::connect(&to).unwrap();
            client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").unwrap();
            let (mut from, mut into) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut into));
            std::thread::spawn(move || std::io::copy(&mut server, &mut client));
        }
    });
    (address, heads)
}

#[test]
fn https_requests_tunnel_through_proxies() {
    let server = Server::encrypted(dutiful);
    let (proxy, heads) = tunnels(server.root().replace("http://", ""));
    let folder = scenario();
    let (base, proxy) = (format!("https://{HOST}/v1"), format!("http://ada:lace@{proxy}"));
    through(&folder, &server, &[("OPENAI_BASE_URL", &base), ("HTTPS_PROXY", &proxy)]).ends(0);
    assert_eq!(server.log().len(), 4);
    assert!(server.log().iter().all(|asked| asked.header("proxy-authorization").is_none()));
    let heads = heads.lock().unwrap();
    assert_eq!(heads.len(), 1, "one connection for one dialogue");
    assert!(heads[0].starts_with(&format!("CONNECT {HOST}:443 HTTP/1.1\r\n")), "{}", heads[0]);
    assert!(heads[0].contains(ADA) && !heads[0].contains(KEY), "{}", heads[0]);
}

#[test]
fn refusing_proxies_are_reported() {
    let server = Server::start(|_| error("407 Proxy Authentication Required", &[], "who?"));
    let folder = scenario();
    let proxy = server.root();
    let variables = [("OPENAI_BASE_URL", "https://models.example/v1"), ("HTTPS_PROXY", &proxy)];
    through(&folder, &server, &variables).ends(4).says("refuses the connection: 407");
    assert_eq!(server.log().len(), 1);
    let folder = scenario();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxy = format!("http://{nobody}");
    let variables = [("OPENAI_BASE_URL", "https://models.example/v1"), ("HTTPS_PROXY", &proxy)];
    through(&folder, &server, &variables)
        .ends(4)
        .says(&format!("no connection to the proxy {nobody}"));
}

/// A proxy that records requests and responds instead of the endpoint.
#[test]
fn proxy_passwords_are_not_recorded() {
    let server = Server::start(|asked| {
        let said = asked.header("proxy-authorization").unwrap().to_owned();
        match asked.number {
            0 => error("500 Internal Server Error", &[], &said),
            _ => answer(&said),
        }
    });
    let folder = scenario();
    let proxy = server.root().replace("http://", "http://ada:lace@");
    let base = format!("http://{HOST}/v1");
    let variables = [("OPENAI_BASE_URL", base.as_str()), ("HTTP_PROXY", &proxy)];
    let ran = through(&folder, &server, &variables).ends(0);
    assert!(!ran.all.contains("YWRh"), "{}", ran.all);
    for kept in ["run.json", "journal", "transcripts.jsonl", "scores.json"] {
        assert!(!read(&folder, kept).contains("YWRh"), "{kept}");
    }
    assert_eq!(transcripts(&folder)[0]["turns"][0]["samples"][0]["answer"], "Basic [secret]");
}

#[test]
fn hosts_without_a_proxy() {
    let server = Server::start(dutiful);
    // Local addresses never use a proxy.
    let folder = scenario();
    through(&folder, &server, &[("ALL_PROXY", "http://127.0.0.1:1")]).ends(0);
    assert_eq!(server.log().len(), 4);
    let folder = scenario();
    let variables =
        [("OPENAI_BASE_URL", "https://models.example/v1"), ("HTTPS_PROXY", "socks5://near:1")];
    through(&folder, &server, &variables).ends(2).says("only those of `http://` can");
}
