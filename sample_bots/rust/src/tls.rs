//! Which certificates of a referee are good: those that TICHU_CA_FILE vouches for.
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// The certificates of a PEM file, and how those signed by them are verified.
#[derive(Debug)]
pub struct Authority {
    certificates: Vec<CertificateDer<'static>>,
    signed: Arc<WebPkiServerVerifier>,
}

impl Authority {
    /// Reads a PEM file; an error is one line.
    pub fn read(file: &str) -> Result<Arc<Authority>, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("TICHU_CA_FILE {file}: {error}");
        let pem = std::fs::read(file).map_err(|error| wrong(&error))?;
        let certificates = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
        let certificates = certificates.map_err(|error| wrong(&error))?;
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(certificates.iter().cloned());
        let provider = Arc::new(ring::default_provider());
        let signed = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let signed = signed.map_err(|_| wrong(&"no certificate in PEM form"))?;
        Ok(Arc::new(Authority { certificates, signed }))
    }
}

impl ServerCertVerifier for Authority {
    /// As usual, and a referee may also show a certificate of the file itself. One that signs
    /// itself is often marked as an authority, and rustls, unlike others, refuses such a one.
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.signed.verify_server_cert(shown, intermediates, name, ocsp_response, now);
        match verified {
            // What else may be wrong (a date, a name, a signature) has an error of its own.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if self.certificates.contains(shown) =>
            {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.signed.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.signed.supported_verify_schemes()
    }
}
