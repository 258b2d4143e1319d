//! Keys do not occur in any output, even if the endpoint repeats them.

use super::server::{self, CERTIFICATE, JSON, chat, error, response};
use super::*;

/// Every file below a folder.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found
}

fn holds(text: &[u8], secret: &str) -> bool {
    text.windows(secret.len()).any(|part| part == secret.as_bytes())
}

#[test]
fn a_key_goes_to_the_endpoint_and_nowhere_else() {
    const HEADER: &str = "header-canary  01+23/456789=";
    const ENCODED: &str = "header-canary%20%2001%2B23%2F456789%3D";
    // It echoes the key in responses and errors, also URL-encoded and where a message is truncated.
    let server = Server::start(|asked| {
        let heard = asked.headers.iter().map(|(name, value)| format!("{name}={value}"));
        let heard = heard.collect::<Vec<_>>().join(" ");
        assert!(heard.contains(HEADER) && heard.contains(KEY));
        let said = format!("{} {heard} and {ENCODED}.", "x".repeat(asked.number * 7 % 300));
        match asked.number % 6 {
            0 => error("500 Internal Server Error", &[], &said),
            2 => response("502 Bad Gateway", &[("content-type", "text/plain")], &said),
            3 => response("200 OK", &[("content-type", &said)], "nonsense"),
            4 => {
                let to = format!("https://elsewhere.example/{KEY}/{ENCODED}?key={KEY}");
                let headers = [("location", to.as_str()), ("x-request-id", KEY)];
                response("307 Temporary Redirect", &headers, "")
            }
            1 => {
                let mut body = chat(&said);
                body["model"] = said.clone().into();
                // Not always: a response with such a reason is not complete.
                if asked.number % 12 == 1 {
                    body["choices"][0]["finish_reason"] = said.clone().into();
                }
                body["choices"][0]["message"]["reasoning"] = said.into();
                response("200 OK", &[JSON], &body.to_string())
            }
            _ => error("400 Bad Request", &[], &said),
        }
    });
    let folder = scenario();
    let header = format!("X-Secret: {HEADER}");
    let more = ["--header", &header, "--cache", "kept", "--stream", "-vv"];
    let ran = run(&folder, &server, "20", &more).ends(4);
    let ran_again = resume(&folder, &server, &["--header", &header, "-vv"]).ends(4);
    // Each of the six answers several times; how often a dialogue asks again depends on who comes first.
    assert!(server.log().len() >= 20);
    assert!(server.log().iter().all(|asked| asked.header("x-secret") == Some(HEADER)));
    let reports = ["text", "json", "html", "csv"].map(|form| {
        let args = ["report", "out", "--format", form];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(1).all
    });
    // The request log is searched, too.
    assert!(ran.all.contains("status=502") && ran_again.all.contains("response from the journal"));
    // Not even the start of a secret.
    assert!(KEY.starts_with("sk-canary") && HEADER.starts_with("header-canary"));
    for secret in ["sk-canary", "header-canary"] {
        for text in [&ran.all, &ran_again.all].into_iter().chain(&reports) {
            assert!(!text.contains(secret), "{text}");
        }
        let found = files(folder.path());
        assert!(found.len() > 6);
        for (name, text) in found {
            assert!(!holds(&text, secret), "{name} holds {secret}");
        }
    }
    assert!(holds(read(&folder, "journal").as_bytes(), "[secret]"));
}

#[test]
fn synthesis_records_no_keys() {
    let server = Server::start(|asked| server::answer(&format!("I heard {:?}.", asked.headers)));
    let folder = scenario();
    let args =
        ["synthesize", "wire.ifs", "--synthesizer", "openai/w", "--checker", "rules", "-n", "2"];
    let args = [&args[..], &["--out", "utterances.jsonl", "--cache", "kept"]].concat();
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    assert!(!ran.all.contains(KEY));
    let found = files(folder.path());
    assert!(found.iter().any(|(name, _)| name.ends_with("utterances.journal")));
    for (name, text) in found {
        assert!(!holds(&text, KEY), "{name} holds the key");
    }
    assert!(holds(&std::fs::read(folder.path().join("utterances.jsonl")).unwrap(), "[secret]"));
}

#[test]
fn a_key_among_the_parameters_is_refused() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let body = format!(r#"{{"user": "{KEY}"}}"#);
    let ran = run(&folder, &server, "1", &["--body", &body]).ends(2);
    assert!(!ran.all.contains(KEY), "{}", ran.all);
    assert!(server.log().is_empty());
}

#[test]
fn untrusted_certificates_are_refused() {
    let server = Server::encrypted(dutiful);
    let address = server.base().replace("http:", "https:");
    let go = |out: &str, trusted: Option<&Path>| {
        let folder = scenario();
        let args = ["run", "wire.ifs", "-m", "openai/m", "-n", "1", "--out", out];
        let mut command = command(folder.path(), &server, &args);
        command.env("OPENAI_BASE_URL", &address);
        if let Some(file) = trusted {
            command.env("SSL_CERT_FILE", file);
        }
        Ran::of(command.output().unwrap())
    };
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("certificate.pem");
    std::fs::write(&file, CERTIFICATE).unwrap();
    go("trusted", Some(&file)).ends(0);
    assert_eq!(server.answered().len(), 4);
    let refused = go("untrusted", None).ends(if system_has_certificates() { 4 } else { 2 });
    refused.says("certificate");
    assert_eq!(server.log().len(), 4, "the key was not sent");
}

/// Without certificates, no HTTPS address can be used.
fn system_has_certificates() -> bool {
    ["/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/ssl/cert.pem"]
        .iter()
        .any(|place| Path::new(place).exists())
}

/// A `.env` file may come from a stranger who wants the key from the shell.
#[test]
fn keys_are_not_sent_to_addresses_from_files() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let args = run_args("openai/m", "1", &[]);
    let with = |env: &str, variables: &[(&str, &str)]| {
        std::fs::write(folder.path().join(".env"), env).unwrap();
        let mut command = command(folder.path(), &server, &args);
        command.env_remove("OPENAI_BASE_URL").env_remove("OPENAI_API_KEY");
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        Ran::of(command.envs(variables.iter().copied()).output().unwrap())
    };
    let base = format!("OPENAI_BASE_URL={}\n", server.base());
    let ran = with(&base, &[("OPENAI_API_KEY", KEY)]).ends(2);
    ran.says("OPENAI_BASE_URL is set in `").says("write OPENAI_API_KEY into the same file");
    // A proxy could read it, too.
    let proxy = format!("HTTP_PROXY={}\n", server.root());
    let far = ("OPENAI_BASE_URL", "http://models.example/v1");
    let ran = with(&proxy, &[far, ("OPENAI_API_KEY", KEY)]).ends(2);
    ran.says("HTTP_PROXY is set in `").says("a key from the shell is not sent");
    assert!(server.log().is_empty());
    // Both from the file: the file's key is sent, not the shell's; the target is reported once.
    let both = format!("{base}OPENAI_API_KEY=sk-of-the-file-0123456789\n");
    let ran = with(&both, &[("OPENAI_API_KEY", KEY)]).ends(0);
    let said = format!("requests for `openai/m` go to {}/chat/completions", server.base());
    assert_eq!(ran.all.matches(&said).count(), 1, "{}", ran.all);
    assert!(ran.all.contains("(OPENAI_BASE_URL in `"), "{}", ran.all);
    assert_eq!(server.log().len(), 4);
    for asked in server.log() {
        assert_eq!(asked.header("authorization"), Some("Bearer sk-of-the-file-0123456789"));
    }
}
