//! An endpoint: the address of a model, and the shared state of its requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::header::{HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION};
use tokio_rustls::rustls::ClientConfig;

use super::names::{Address, UnknownModel};
use super::secrets::Secrets;
use super::transport::proxy::Proxy;
use super::transport::tls;
use super::wire::{self, Wire};
use super::{
    BatchForm, Conversation, ConversationHash, Environment, HttpHeader, Parameters, Reply, Timeouts,
};

pub struct Endpoint {
    name: String,
    /// The model's name in requests.
    model: String,
    wire: &'static dyn Wire,
    pub(super) place: Host,
    /// Without secrets, and independent of streaming.
    address: String,
    /// Path and query of every request.
    pub(super) path: String,
    /// What comes before and after the paths of other requests.
    pub(super) around: (String, String),
    /// Whether it has batches.
    has_batches: bool,
    pub(super) headers: HeaderMap,
    fields: String,
    parameters: Parameters,
    identity: blake3::Hasher,
    pub(super) timeouts: Timeouts,
    secrets: Secrets,
    elsewhere: Option<String>,
    pub(super) has_key: bool,
    pub(super) key_variable: String,
    takes_no_form: AtomicBool,
}

/// The host that is connected to.
pub(super) struct Host {
    /// For TLS; `None` if the address begins with `http`.
    pub tls: Option<Arc<ClientConfig>>,
    pub host: String,
    pub port: u16,
    /// Host and port as in the address.
    pub authority: String,
    /// The proxy on the way to it.
    pub proxy: Option<Proxy>,
}

/// Path prefixes that may also be at the end of the base address: users write `…/v1` where the path
/// is `/v1/messages`, or the complete URL.
fn path_prefix<'f>(folder: &'f str, path: &str) -> &'f str {
    let ends = path.match_indices('/').skip(1).map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| folder.strip_suffix(&path[..end])).last().unwrap_or(folder)
}

impl Endpoint {
    pub(super) fn new(
        address: Address,
        parameters: Parameters,
        headers: &[HttpHeader],
        timeouts: Timeouts,
        environment: &Environment,
    ) -> Result<Endpoint, UnknownModel> {
        let Address {
            name,
            model,
            wire,
            batches,
            base,
            base_variable,
            key,
            key_variable,
            elsewhere,
        } = address;
        let unsuitable = |why: String| UnknownModel::Unsuitable { model: name.clone(), why };
        let wrong = |why: &str| UnknownModel::BadAddress {
            variable: base_variable.clone(),
            why: why.to_owned(),
        };
        let letter = |letter: char| letter.is_ascii_graphic() && !"?#%\\\"<>".contains(letter);
        if !model.chars().all(letter) || model.contains("..") {
            return Err(unsuitable(format!("`{model}` cannot be the name of a model")));
        }
        let key_of_file = key.as_ref().is_some_and(|key| key.of_file);
        let key = key.map(|key| key.value);
        let header_letter = |letter: char| letter == ' ' || letter.is_ascii_graphic();
        if key.as_ref().is_some_and(|key| !key.chars().all(header_letter)) {
            return Err(unsuitable(format!(
                "{key_variable} holds letters that no key has, such as the end of a line"
            )));
        }
        let given = key.iter().chain(headers.iter().map(|header| &header.value));
        let mut secrets = Secrets::default();
        given.for_each(|secret| secrets.add(secret));
        let said = parameters.identity();
        if secrets.are_in(&said) {
            return Err(unsuitable("a key is among the parameters, which are recorded".into()));
        }
        let uri: hyper::Uri =
            base.parse().map_err(|_| wrong("it cannot be read; write `https://HOST/…`"))?;
        if base.contains('@') {
            return Err(wrong("a name and a password have no place in it"));
        }
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(wrong("write `https://…` or `http://…`")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("it names no host"))?;
        let place = Host {
            tls: secure.then(tls::config).transpose().map_err(unsuitable)?,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            authority: authority.as_str().to_owned(),
            proxy: Proxy::proxy_for(&uri, environment).map_err(unsuitable)?,
        };
        if let Some(proxy) = &place.proxy
            && proxy.of_file
            && key.is_some()
            && !key_of_file
        {
            return Err(UnknownModel::NotForIt {
                variable: proxy.variable.to_owned(),
                key: key_variable,
                place: proxy.place.clone(),
            });
        }
        let scheme = if secure { "https" } else { "http" };
        let plain = wire.path(&model, false);
        let folder = path_prefix(uri.path().trim_end_matches('/'), &plain);
        let shown_folder = secrets.hidden_path(folder);
        let address = format!("{scheme}://{}{shown_folder}{plain}", place.authority);
        let mut path = format!("{folder}{}", wire.path(&model, parameters.stream));
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let mut around = (folder.to_owned(), query);
        if let Some(query) = uri.query() {
            path.push(if path.contains('?') { '&' } else { '?' });
            path.push_str(query);
        }
        let of_proxy = place.proxy.as_ref().and_then(|proxy| proxy.authorization.as_ref());
        let of_proxy = of_proxy.and_then(|it| it.to_str().ok()?.strip_prefix("Basic "));
        of_proxy.into_iter().for_each(|secret| secrets.add(secret));
        let fields = wire.fields(&model, &parameters).map_err(unsuitable)?;
        let mut map = HeaderMap::new();
        // A proxy sees unencrypted requests, and needs their complete URL.
        if let (Some(proxy), None) = (&place.proxy, &place.tls) {
            path = format!("{scheme}://{}{path}", place.authority);
            around.0 = format!("{scheme}://{}{}", place.authority, around.0);
            if let Some(authorization) = &proxy.authorization {
                map.insert(PROXY_AUTHORIZATION, authorization.clone());
            }
        }
        let accept = if parameters.stream { "text/event-stream" } else { "application/json" };
        let own = [
            ("host", place.authority.clone()),
            ("content-type", "application/json".to_owned()),
            ("accept", accept.to_owned()),
            ("user-agent", concat!("ifs/", env!("CARGO_PKG_VERSION")).to_owned()),
        ];
        let given = headers.iter().map(|header| (header.name.as_str(), header.value.clone()));
        for (header, value) in own.into_iter().chain(wire.headers(key.as_deref())).chain(given) {
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                unsuitable(format!(
                    "the value of the header `{header}` holds characters that no header may have"
                ))
            })?;
            value.set_sensitive(true);
            let header = HeaderName::from_bytes(header.as_bytes())
                .map_err(|_| unsuitable(format!("`{header}` is not the name of a header")))?;
            map.insert(header, value);
        }
        let fields = serde_json::Value::Object(fields).to_string();
        let through = place.proxy.as_ref().map(|proxy| {
            format!("through the proxy {} ({} {})", proxy.authority, proxy.variable, proxy.place)
        });
        let to = elsewhere.map(|by| format!("to {address} ({by})"));
        let ways: Vec<String> = to.into_iter().chain(through).collect();
        let elsewhere =
            (!ways.is_empty()).then(|| format!("requests for `{name}` go {}", ways.join(" ")));
        let mut endpoint = Endpoint {
            name,
            model,
            elsewhere,
            wire,
            place,
            address,
            path,
            around,
            has_batches: batches,
            headers: map,
            fields,
            parameters,
            identity: blake3::Hasher::new_derive_key("ifs: a question"),
            timeouts,
            secrets,
            has_key: key.is_some(),
            key_variable,
            takes_no_form: AtomicBool::new(false),
        };
        for text in [endpoint.name.clone(), endpoint.address.clone(), said] {
            endpoint.identity.update(&(text.len() as u64).to_le_bytes());
            endpoint.identity.update(text.as_bytes());
        }
        Ok(endpoint)
    }

    /// A hash of everything that a response depends on: the model and its address, the parameters,
    /// the conversation, and the sample.
    pub fn question(&self, conversation: &Conversation, sample: u32) -> ConversationHash {
        let mut hasher = self.identity.clone();
        hasher.update(&sample.to_le_bytes());
        hasher.update(conversation.digest().bytes());
        ConversationHash::from_hasher(&hasher)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address of requests, if it is not the provider's own.
    pub fn other_address(&self) -> Option<&str> {
        self.elsewhere.as_deref()
    }

    pub fn wire(&self) -> &'static dyn Wire {
        self.wire
    }

    /// The form of its batches, if it has them.
    pub fn batches(&self) -> Option<BatchForm> {
        self.wire.batch().filter(|_| self.has_batches)
    }

    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The address of requests.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The body of a request; `plain` without structured output.
    pub fn body(&self, conversation: &Conversation, plain: bool) -> String {
        let raised = conversation.limit().and_then(|limit| self.fields_with_limit(limit));
        let fields = raised.as_deref().unwrap_or(&self.fields);
        wire::body(self.wire, fields, conversation, plain)
    }

    /// The fields of a request with a higher token limit, also where the user's own fields have one.
    fn fields_with_limit(&self, limit: u64) -> Option<String> {
        let mut parameters = Parameters { max_tokens: Some(limit), ..self.parameters.clone() };
        for name in ["max_tokens", "max_completion_tokens"] {
            if let Some(own) = parameters.body.get_mut(name) {
                *own = limit.into();
            }
        }
        let fields = self.wire.fields(&self.model, &parameters).ok()?;
        Some(serde_json::Value::Object(fields).to_string())
    }

    /// Whether the endpoint is known to refuse structured output.
    pub fn takes_no_form(&self) -> bool {
        self.takes_no_form.load(Ordering::Relaxed)
    }

    /// Records that it refuses structured output. Returns whether that is new.
    pub fn refuses_structured_output(&self) -> bool {
        !self.takes_no_form.swap(true, Ordering::Relaxed)
    }

    /// Replaces all secrets in a text from the endpoint.
    pub(super) fn clean(&self, text: &mut String) {
        self.secrets.replace_in(text);
    }

    pub(super) fn clean_reply(&self, reply: &mut Reply) {
        self.clean(&mut reply.text);
        self.clean(&mut reply.reasoning);
        if let Some(served) = &mut reply.served {
            self.clean(served);
        }
        if let Some(super::StopReason::Other(reason)) = &mut reply.stop {
            self.clean(reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::path_prefix;

    #[test]
    fn paths_are_reported_once() {
        for (folder, path, wanted) in [
            ("", "/v1/messages", ""),
            ("/v1", "/v1/messages", ""),
            ("/lab/v1", "/v1/messages", "/lab"),
            ("/lab/v10", "/v1/messages", "/lab/v10"),
            ("/v1", "/chat/completions", "/v1"),
            ("/v1/chat/completions", "/chat/completions", "/v1"),
            ("/v1beta", "/v1beta/models/m:generateContent", ""),
        ] {
            assert_eq!(path_prefix(folder, path), wanted, "{folder}");
        }
    }
}
