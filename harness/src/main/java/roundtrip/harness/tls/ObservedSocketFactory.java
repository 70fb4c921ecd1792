package roundtrip.harness.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Makes sockets with the wanted protocols, and remembers the latest to tell what it negotiated. */
public final class ObservedSocketFactory extends SSLSocketFactory {
  private final SSLSocketFactory inner;
  private final String[] protocols;
  private volatile SSLSocket latest;

  /** @param settings whose protocols are enabled, when it names any; null for none */
  public ObservedSocketFactory(SSLSocketFactory inner, TlsSettings settings) {
    this.inner = inner;
    this.protocols =
        settings == null ? new String[0] : settings.protocols().toArray(String[]::new);
  }

  /** What the latest connection negotiated; null when there is none. */
  public Map<String, String> negotiated() {
    SSLSocket socket = latest;
    return socket == null ? null : Negotiated.describe(socket.getSession());
  }

  private Socket observed(Socket socket) {
    latest = (SSLSocket) socket;
    if (protocols.length > 0) {
      latest.setEnabledProtocols(protocols);
    }
    return socket;
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return inner.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return inner.getSupportedCipherSuites();
  }

  @Override
  public Socket createSocket() throws IOException {
    return observed(inner.createSocket());
  }

  @Override
  public Socket createSocket(Socket under, String host, int port, boolean close)
      throws IOException {
    return observed(inner.createSocket(under, host, port, close));
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return observed(inner.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return observed(inner.createSocket(host, port, local, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return observed(inner.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return observed(inner.createSocket(host, port, local, localPort));
  }
}
