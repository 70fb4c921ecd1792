package roundtrip.harness.loopback;

import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Queue;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Arrays;

/** The body and the two headers of a message that the driver uses. */
final class LoopbackMessage implements InvocationHandler {
  private final BytesMessage message =
      (BytesMessage)
          Proxy.newProxyInstance(
              BytesMessage.class.getClassLoader(), new Class<?>[] {BytesMessage.class}, this);
  private byte[] content;
  private Queue replyTo;
  private String correlationId;
  private boolean reply;

  LoopbackMessage() {
    this(new byte[0], null, null);
  }

  LoopbackMessage(byte[] content, Queue replyTo, String correlationId) {
    this.content = content;
    this.replyTo = replyTo;
    this.correlationId = correlationId;
  }

  static LoopbackMessage behind(BytesMessage message) {
    return (LoopbackMessage) Proxy.getInvocationHandler(message);
  }

  BytesMessage asMessage() {
    return message;
  }

  /** Copies the message, as sending it would. */
  LoopbackMessage copy() {
    LoopbackMessage copy = new LoopbackMessage(content.clone(), replyTo, correlationId);
    copy.reply = reply;
    return copy;
  }

  Queue replyTo() {
    return replyTo;
  }

  boolean isReply() {
    return reply;
  }

  void becomeReply() {
    reply = true;
  }

  @Override
  public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments) {
    switch (method.getName()) {
      case "writeBytes" -> {
        byte[] whole = (byte[]) arguments[0];
        int from = arguments.length == 1 ? 0 : (int) arguments[1];
        int length = arguments.length == 1 ? whole.length : (int) arguments[2];
        content = Arrays.copyOfRange(whole, from, from + length);
        return null;
      }
      case "readBytes" -> {
        byte[] target = (byte[]) arguments[0];
        int length = arguments.length == 1 ? target.length : (int) arguments[1];
        System.arraycopy(content, 0, target, 0, length);
        return length;
      }
      case "getBodyLength" -> {
        return (long) content.length;
      }
      case "getJMSCorrelationID" -> {
        return correlationId;
      }
      case "setJMSCorrelationID" -> {
        correlationId = (String) arguments[0];
        return null;
      }
      case "getJMSReplyTo" -> {
        return replyTo;
      }
      case "setJMSReplyTo" -> {
        replyTo = (Queue) arguments[0];
        return null;
      }
      case "getJMSDeliveryMode" -> {
        return DeliveryMode.NON_PERSISTENT;
      }
      case "clearBody", "setStringProperty" -> {
        return null;
      }
      default -> throw new UnsupportedOperationException(method.getName());
    }
  }
}
