// Tests of a client in Java against a mock: one process for all tests, a session for each. Needs only the JDK: java KeysTest.java
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class KeysTest {
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A test, which gets a session of its own. */
    private interface Test {
        void run(Session session) throws Exception;
    }

    /** The addresses of one session: the path names it, so that a client needs only another base URL. */
    private record Session(String api, String control) {
        static Session open(URI mock) throws Exception {
            String id = "test-" + UUID.randomUUID();
            String root = mock.getScheme() + "://" + mock.getAuthority();
            check(201, send("POST", root + "/__mock/sessions", "{\"id\": \"" + id + "\"}").statusCode());
            String own = root + "/~" + id;
            return new Session(own + mock.getPath(), own + "/__mock");
        }

        /** Fails if the client broke the contract, or a rule of an active scenario was not used. */
        void verify() throws Exception {
            check("{\"ok\":true,\"findings\":[]}", send("GET", control + "/journal/verification", null).body());
        }
    }

    private static void createdKeyIsInTheList(Session session) throws Exception {
        send("PUT", session.control + "/state/admin_api_keys", "[]");
        String keys = session.api + "/organization/admin_api_keys";
        check(200, send("POST", keys, "{\"name\": \"From Java\"}").statusCode());
        check(true, send("GET", keys, null).body().contains("From Java"));
        session.verify();
    }

    private static void otherTestsDoNotSeeIt(Session session) throws Exception {
        String keys = session.api + "/organization/admin_api_keys";
        check(false, send("GET", keys, null).body().contains("From Java"));
        session.verify();
    }

    private static void scenarioMakesTheListFail(Session session) throws Exception {
        String down = "{\"operations\": {\"listAdminApiKeys\": {\"respond\": {\"status\": 500}}}}";
        check(200, send("PUT", session.control + "/scenarios/down", down).statusCode());
        send("POST", session.control + "/scenarios/down/activate", null);
        check(500, send("GET", session.api + "/organization/admin_api_keys", null).statusCode());
        session.verify();
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Test> tests = new LinkedHashMap<>();
        tests.put("a created key is in the list", KeysTest::createdKeyIsInTheList);
        tests.put("other tests do not see it", KeysTest::otherTestsDoNotSeeIt);
        tests.put("a scenario makes the list fail", KeysTest::scenarioMakesTheListFail);
        // The command that starts the mock; a document and folders of your own come after "serve".
        String start = System.getenv().getOrDefault("VOUCH", "npx vouch");
        List<String> command = new ArrayList<>(List.of(start.split(" ")));
        command.addAll(List.of("serve", "--port", "0", "--json", "--quiet"));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        int failed = 0;
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            // The first line has the address once the mock listens.
            Matcher line = Pattern.compile("\"listening\":\"([^\"]+)\"").matcher(String.valueOf(output.readLine()));
            if (!line.find()) throw new IllegalStateException("the mock did not start");
            URI mock = URI.create(line.group(1));
            for (Map.Entry<String, Test> test : tests.entrySet()) {
                try {
                    test.getValue().run(Session.open(mock));
                    System.out.println("ok " + test.getKey());
                } catch (Exception | AssertionError error) {
                    failed++;
                    System.out.println("not ok " + test.getKey() + ": " + error.getMessage());
                }
            }
        } finally {
            process.destroy();
            process.waitFor();
        }
        System.out.println("# pass " + (tests.size() - failed) + "\n# fail " + failed);
        System.exit(failed == 0 ? 0 : 1);
    }

    private static HttpResponse<String> send(String method, String url, String body) throws Exception {
        HttpRequest.BodyPublisher content =
            body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).method(method, content);
        request.header("authorization", "Bearer sk-test");
        if (body != null) request.header("content-type", "application/json");
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void check(Object wanted, Object got) {
        if (!wanted.equals(got)) throw new AssertionError("expected " + wanted + ", got " + got);
    }
}
