//! Proxies from the environment: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, and `NO_PROXY` for hosts
//! with direct connections.

use std::net::IpAddr;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http1::handshake;
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, StatusCode, Uri};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::status;
use crate::provider::{CallFailure, Environment};

pub struct Proxy {
    pub host: String,
    pub port: u16,
    pub authority: String,
    pub authorization: Option<HeaderValue>,
    /// The variable that configures it.
    pub variable: &'static str,
    /// The `.env` file of the variable, if it is in one.
    pub of_file: bool,
    pub place: String,
}

/// By URL scheme.
const VARIABLES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

impl Proxy {
    /// The proxy for an address. Addresses on this machine need none.
    pub fn proxy_for(to: &Uri, environment: &Environment) -> Result<Option<Proxy>, String> {
        let host = to.host().unwrap_or_default().trim_matches(['[', ']']);
        let loopback = |ip: IpAddr| ip.is_loopback();
        if host == "localhost" || host.parse().is_ok_and(loopback) {
            return Ok(None);
        }
        let said_by = |name: &str| {
            environment.variable(name).or_else(|| environment.variable(&name.to_lowercase()))
        };
        let said = |name: &str| said_by(name).map(|variable| variable.value).unwrap_or_default();
        let [http, https, all] = VARIABLES.map(said);
        for (name, value) in VARIABLES.iter().zip([&http, &https, &all]) {
            let any = Uri::from_static("http://any");
            if !value.is_empty()
                && Matcher::builder().all(&**value).build().intercept(&any).is_none()
            {
                return Err(format!(
                    "{name} is not the address of a proxy; write `http://HOST:PORT`"
                ));
            }
        }
        let matcher = Matcher::builder().http(http).https(https).all(all).no(said("NO_PROXY"));
        let Some(found) = matcher.build().intercept(to) else { return Ok(None) };
        let uri = found.uri();
        let (scheme, host) = (uri.scheme_str().unwrap_or_default(), uri.host().unwrap_or_default());
        let port = uri.port_u16().unwrap_or(80);
        if scheme != "http" {
            return Err(format!(
                "the proxy {scheme}://{host} cannot be used: only those of `http://` can"
            ));
        }
        let authority = format!("{host}:{port}");
        let host = host.trim_matches(['[', ']']).to_owned();
        let own = if to.scheme_str() == Some("https") { VARIABLES[1] } else { VARIABLES[0] };
        let variable = if said_by(own).is_some() { own } else { VARIABLES[2] };
        let by = said_by(variable);
        Ok(Some(Proxy {
            host,
            port,
            authority,
            authorization: found.basic_auth().cloned(),
            variable,
            of_file: by.as_ref().is_some_and(|by| by.of_file),
            place: by.map(|by| environment.source_of(&by)).unwrap_or_default(),
        }))
    }

    /// Opens a tunnel to a host, for encrypted requests.
    pub async fn tunnel(
        &self,
        stream: TcpStream,
        (host, port): (&str, u16),
    ) -> Result<TokioIo<Upgraded>, CallFailure> {
        let proxy = &self.authority;
        let lost = |error: hyper::Error| {
            CallFailure::passing(format!("the proxy {proxy} refuses the connection: {error}"))
        };
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(lost)?;
        tokio::spawn(async move { drop(connection.with_upgrades().await) });
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let to = format!("{host}:{port}");
        let mut request = Request::new(Empty::<Bytes>::new());
        *request.method_mut() = Method::CONNECT;
        let no_host = |_| CallFailure::permanent(format!("`{to}` is not a host"));
        *request.uri_mut() = to.parse().map_err(no_host)?;
        let headers = request.headers_mut();
        headers.insert(
            HOST,
            HeaderValue::from_str(&to)
                .map_err(|_| CallFailure::permanent(format!("`{to}` is not a host")))?,
        );
        if let Some(authorization) = &self.authorization {
            headers.insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        let response = sender.send_request(request).await.map_err(lost)?;
        if response.status() != StatusCode::OK {
            let failure = status::failure(response.status(), response.headers(), "", proxy);
            let message = format!("the proxy {proxy} refuses the connection: {}", failure.message);
            return Err(CallFailure { message, ..failure });
        }
        Ok(TokioIo::new(hyper::upgrade::on(response).await.map_err(lost)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy_for_url(to: &str, variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let environment = Environment::from_pairs(variables.iter().copied());
        let found = Proxy::proxy_for(&to.parse().unwrap(), &environment)?;
        Ok(found.map(|proxy| proxy.authority))
    }

    #[test]
    fn the_environment_names_it() {
        let api = "https://api.example/v1";
        for (to, variables, wanted) in [
            (api, &[][..], None),
            (api, &[("HTTPS_PROXY", "http://near:3128")], Some("near:3128")),
            (api, &[("https_proxy", "near:3128")], Some("near:3128")),
            (api, &[("ALL_PROXY", "http://near")], Some("near:80")),
            (api, &[("HTTP_PROXY", "http://near:3128")], None),
            ("http://api.example", &[("HTTP_PROXY", "http://near:3128")], Some("near:3128")),
            (api, &[("HTTPS_PROXY", "http://near:1"), ("NO_PROXY", "other, .example")], None),
            ("http://localhost:8000/v1", &[("ALL_PROXY", "http://near:1")], None),
            ("http://127.0.0.1:8000/v1", &[("ALL_PROXY", "http://near:1")], None),
            ("http://[::1]:8000/v1", &[("ALL_PROXY", "http://near:1")], None),
        ] {
            assert_eq!(
                proxy_for_url(to, variables),
                Ok(wanted.map(str::to_owned)),
                "{to} {variables:?}"
            );
        }
    }

    #[test]
    fn unusable_proxies_are_reported() {
        for (value, why) in [
            ("socks5://near:1", "only those of `http://`"),
            ("https://near:1", "only those of `http://`"),
            ("://near", "HTTPS_PROXY is not the address"),
            ("ftp://near:1", "HTTPS_PROXY is not the address"),
        ] {
            let said = proxy_for_url("https://api.example", &[("HTTPS_PROXY", value)]).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
