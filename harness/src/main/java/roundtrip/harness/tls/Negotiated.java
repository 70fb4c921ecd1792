package roundtrip.harness.tls;

import java.security.cert.Certificate;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** What two ends agreed on, which may differ from what either was asked for. */
public final class Negotiated {
  private Negotiated() {}

  /** Describes a session; null when it has none of it yet. */
  public static Map<String, String> describe(SSLSession session) {
    if (session == null || session.getCipherSuite().equals("SSL_NULL_WITH_NULL_NULL")) {
      return null;
    }
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("protocol", session.getProtocol());
    facts.put("cipher_suite", session.getCipherSuite());
    try {
      Certificate[] chain = session.getPeerCertificates();
      facts.put("server_key", chain[0].getPublicKey().getAlgorithm());
    } catch (SSLPeerUnverifiedException anonymous) {
      facts.put("server_key", "none");
    }
    return facts;
  }
}
