package roundtrip.harness.loopback;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;

/**
 * Implements an interface of which the driver uses a few methods out of dozens. Methods without a
 * meaning here do nothing when they return nothing, and are refused otherwise.
 */
final class Stub {
  /** What a method does. */
  interface Method {
    Object call(Object[] arguments) throws Exception;
  }

  private Stub() {}

  static <T> T of(Class<T> type, Map<String, Method> methods) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Method known = methods.get(method.getName());
          if (known != null) {
            return known.call(arguments);
          }
          if (method.getReturnType() == void.class) {
            return null;
          }
          throw new UnsupportedOperationException(type.getSimpleName() + "." + method.getName());
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
