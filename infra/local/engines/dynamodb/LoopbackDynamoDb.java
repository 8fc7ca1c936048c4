import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;
import software.amazon.dynamodb.services.local.server.DynamoDBProxyServer;

/**
 * DynamoDB Local as it is, but listening on loopback only, for which it has no option, and ending with the process that
 * started it, however that one ends. The class file is in the repository because a Java runtime has no compiler:
 * javac --release 17 -g:none -cp 'DynamoDBLocal.jar:DynamoDBLocal_lib/*' LoopbackDynamoDb.java
 */
public final class LoopbackDynamoDb {
  public static void main(String[] arguments) throws Exception {
    DynamoDBProxyServer dynamoDb = ServerRunner.createServerFromCommandLineArgs(arguments);
    var server = DynamoDBProxyServer.class.getDeclaredField("server");
    server.setAccessible(true);
    ((ServerConnector) ((Server) server.get(dynamoDb)).getConnectors()[0]).setHost("127.0.0.1");
    dynamoDb.start();
    System.out.println("listening");
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
