//! TLS with the certificates that the system trusts; verification cannot be disabled.

use std::sync::{Arc, OnceLock};

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();

/// Loaded for the first endpoint that needs it, since the system's store is large.
pub fn config() -> Result<Arc<ClientConfig>, String> {
    CONFIG.get_or_init(read).clone()
}

fn read() -> Result<Arc<ClientConfig>, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (known, _) = roots.add_parsable_certificates(found.certs);
    if known == 0 {
        return Err("the system has no certificates to check an `https` address by; \
                    install them (the package is often called `ca-certificates`) or name a file \
                    of them in SSL_CERT_FILE"
            .to_owned());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
