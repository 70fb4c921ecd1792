package roundtrip.harness.tls;

import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A context that remembers the engine it made last, so that what was negotiated can be read from
 * the connection itself where a client library does not tell.
 */
public final class ObservedContext extends SSLContext {
  private final Observer observer;

  private ObservedContext(Observer observer, SSLContext inner) {
    super(observer, inner.getProvider(), inner.getProtocol());
    this.observer = observer;
  }

  /** Wraps a context. */
  public static ObservedContext around(SSLContext inner) {
    return new ObservedContext(new Observer(inner), inner);
  }

  /** What the latest connection negotiated; null when there is none. */
  public Map<String, String> negotiated() {
    SSLEngine engine = observer.latest;
    return engine == null ? null : Negotiated.describe(engine.getSession());
  }

  /** Passes everything on to the real context. */
  private static final class Observer extends SSLContextSpi {
    private final SSLContext inner;
    private volatile SSLEngine latest;

    Observer(SSLContext inner) {
      this.inner = inner;
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
        throws KeyManagementException {
      inner.init(keys, trust, random);
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      return inner.getSocketFactory();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      return inner.getServerSocketFactory();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      latest = inner.createSSLEngine();
      return latest;
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      latest = inner.createSSLEngine(host, port);
      return latest;
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      return inner.getServerSessionContext();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      return inner.getClientSessionContext();
    }

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
      return inner.getDefaultSSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
      return inner.getSupportedSSLParameters();
    }
  }
}
