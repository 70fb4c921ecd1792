package roundtrip.harness.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UrlsTest {
  @ParameterizedTest
  @CsvSource({
    "tcp://jo:pw@b:1?a=1, tcp://…@b:1?a=1",
    "tcp://b:1?trustStorePath=/keys/jo/t.p12&a=1, tcp://b:1?trustStorePath=…&a=1",
    "amqps://b:1?transport.trustStoreLocation=/keys/jo/t, amqps://b:1?transport.trustStoreLocation=…",
    "(tcp://b:1?a=1&keyStorePassword=pw)?user=jo;b=2, (tcp://b:1?a=1&keyStorePassword=…)?user=…;b=2",
    "amqp://b:1?jms.username=jo&jms.userAgent=x, amqp://b:1?jms.username=…&jms.userAgent=x",
    "amqp://b:1/a;password=pw, amqp://b:1/a;password=…",
    "amqp://b:1/password=pw, amqp://b:1/password=…",
    "tcp://b:1#password=pw, tcp://b:1#password=…",
    "tcp://b:1?a=1#x?passwd=pw, tcp://b:1?a=1#x?passwd=…",
    "'tcp://b:1?a=1#tcp://jo:pw@c:2', tcp://…@c:2",
    "tcp://b:1?a=1#jo:pw@c:2, tcp://…@c:2",
    "tcp://jo:p@w@b:1, tcp://…@b:1",
    "tcp://jo:p?w@b:1, tcp://…@b:1",
    "tcp://b:1?p%61ssword=pw&a=1, tcp://b:1?p%61ssword=…&a=1",
    "amqp://b:1?jms.password=p;w&a=1, amqp://b:1?jms.password=…&a=1",
    "(tcp://b:1?keyStorePassword=p)w)?a=1, (tcp://b:1?keyStorePassword=…)?a=1",
    "file:///keys/jo/ccdt.json, …",
    "https://jo:pw@h/ccdt.json, https://…@h/ccdt.json"
  })
  void namesNobodyAndNoPlaceOfTheMachine(String url, String shown) {
    assertEquals(shown, Urls.withoutSecrets(url));
  }
}
