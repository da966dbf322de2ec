import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Posts JSON to a URL with the JDK's client as it comes, twice, and prints what is answered, a line each. */
class Ask {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create(arguments[0]))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(arguments[1]))
            .build();
        for (int i = 0; i < 2; i++) {
            var response = client.send(request, BodyHandlers.ofString());
            System.out.println(response.statusCode() + " " + response.version() + " " + response.body().strip());
        }
    }
}
