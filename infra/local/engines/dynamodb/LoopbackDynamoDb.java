import com.almworks.sqlite4java.SQLite;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * DynamoDB Local as it is, but listening on loopback only, for which it has no option, refusing web pages of other sites, to
 * all of which it is open, with few threads and a small cache, and ending with the process that started it, however that one
 * ends. The rule for requests is that of infra/local/local-request.ts. The class file is in the repository because a Java
 * runtime has no compiler:
 * javac --release 17 -g:none -cp 'DynamoDBLocal.jar:DynamoDBLocal_lib/*' LoopbackDynamoDb.java
 */
public final class LoopbackDynamoDb extends Handler.Wrapper {
  private static final String NAME = "(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?";
  private static final Pattern HOST = Pattern.compile(NAME, Pattern.CASE_INSENSITIVE);
  private static final Pattern ORIGIN = Pattern.compile("https?://" + NAME, Pattern.CASE_INSENSITIVE);
  private static final int MISDIRECTED = 421;
  // They all wait for one thread that writes to SQLite: 200, which Jetty would start, took 15 MB more and no less time.
  private static final int MOST_THREADS = 16;
  // SQLite would keep 8 MB of pages that the system caches too.
  private static final int SQLITE_BYTES = 2 << 20;

  private LoopbackDynamoDb(Handler dynamoDb) {
    super(dynamoDb);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    String host = request.getHeaders().get("Host");
    String origin = request.getHeaders().get("Origin");
    boolean isLocal = host != null && HOST.matcher(host).matches();
    if (isLocal && (origin == null || ORIGIN.matcher(origin).matches())) {
      return super.handle(request, response, callback);
    }
    response.setStatus(MISDIRECTED);
    callback.succeeded();
    return true;
  }

  public static void main(String[] arguments) throws Exception {
    DynamoDBProxyServer dynamoDb = ServerRunner.createServerFromCommandLineArgs(arguments);
    var field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    Server server = (Server) field.get(dynamoDb);
    ServerConnector connector = (ServerConnector) server.getConnectors()[0];
    connector.setHost("127.0.0.1");
    for (ConnectionFactory each : connector.getConnectionFactories()) {
      // Jetty would keep 98 KB for each connection, to parse known headers a little faster.
      if (each instanceof HttpConfiguration.ConnectionFactory http) http.getHttpConfiguration().setHeaderCacheSize(0);
    }
    ((QueuedThreadPool) server.getThreadPool()).setMaxThreads(MOST_THREADS);
    server.setHandler(new LoopbackDynamoDb(server.getHandler()));
    dynamoDb.start();
    SQLite.setSoftHeapLimit(SQLITE_BYTES);
    System.out.println("listening");
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
