// Google's and OpenAI's libraries for Java, and LangChain4j: streamed text and tools, with and without silences,
// and requests that are rejected for good.
import com.google.genai.Client;
import com.google.genai.types.Content;
import com.google.genai.types.FunctionDeclaration;
import com.google.genai.types.GenerateContentConfig;
import com.google.genai.types.HttpOptions;
import com.google.genai.types.Schema;
import com.google.genai.types.Tool;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.langchain4j.agent.tool.P;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.googleai.GoogleAiGeminiChatModel;
import dev.langchain4j.model.googleai.GoogleAiGeminiStreamingChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.TokenStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

public class Clients {
  record Place(String when, String origin, String key) {}

  interface Assistant {
    TokenStream ask(String prompt);
  }

  public static class Weather {
    @dev.langchain4j.agent.tool.Tool("Tells the weather of a city.")
    public String weather(@P(name = "city", value = "the city") String city) {
      return "sunny in " + city;
    }
  }

  static boolean failed = false;

  static void check(String name, String wanted, Callable<String> work) {
    try {
      String answer = work.call();
      if (!answer.contains(wanted)) throw new IllegalStateException("expected " + wanted + " in " + answer);
      System.out.println("ok    " + name);
    } catch (Throwable error) {
      failed = true;
      System.out.println("FAIL  " + name + "\n      " + error);
    }
  }

  static Client google(Place at) {
    return Client.builder()
        .apiKey(at.key())
        .httpOptions(HttpOptions.builder().baseUrl(at.origin()).build())
        .build();
  }

  static String googleText(Place at, String model) {
    var text = new StringBuilder();
    for (var answer : google(at).models.generateContentStream(model, "say quince and pear", null)) {
      if (answer.text() != null) text.append(answer.text());
    }
    return text.toString();
  }

  static String googleCall(Place at, String model) {
    var schema = Schema.builder().type("OBJECT").properties(Map.of("city", Schema.builder().type("STRING").build()));
    var weather = FunctionDeclaration.builder().name("weather").parameters(schema.build()).build();
    var tool = Tool.builder().functionDeclarations(List.of(weather)).build();
    var config = GenerateContentConfig.builder().tools(List.of(tool)).build();
    var calls = new StringBuilder();
    for (var answer : google(at).models.generateContentStream(model, "use weather {\"city\":\"Paris\"}", config)) {
      if (answer.functionCalls() != null) answer.functionCalls().forEach(call -> calls.append(call.args().get()));
    }
    return calls.toString();
  }

  static String openai(Place at, String model) {
    var client = OpenAIOkHttpClient.builder().baseUrl(at.origin() + "/v1").apiKey(at.key()).build();
    var params = ChatCompletionCreateParams.builder().model(model).addUserMessage("say quince and pear").build();
    var text = new StringBuilder();
    try (var stream = client.chat().completions().createStreaming(params)) {
      stream.stream().flatMap(chunk -> chunk.choices().stream())
          .forEach(choice -> choice.delta().content().ifPresent(text::append));
    }
    return text.toString();
  }

  static String ask(StreamingChatModel model, String prompt) throws Exception {
    var assistant = AiServices.builder(Assistant.class).streamingChatModel(model).tools(new Weather()).build();
    var done = new CompletableFuture<String>();
    var text = new StringBuilder();
    assistant.ask(prompt)
        .onPartialResponse(text::append)
        .onCompleteResponse(answer -> done.complete(text.toString()))
        .onError(done::completeExceptionally)
        .start();
    return done.get(60, TimeUnit.SECONDS);
  }

  interface Asking {
    String ask(Place at, String model) throws Exception;
  }

  record Rejection(String status, String why, String key, String model, String says) {}

  /** The request must fail and say why, with no more than one request sent and with this status. */
  static String rejected(Asking asking, Rejection rejection) throws Exception {
    var at = new Place("", System.getenv("TOLLGATE_COUNTED_ORIGIN"), rejection.key());
    statusesSeen();
    try {
      return "no error, but " + asking.ask(at, rejection.model());
    } catch (Exception error) {
      var statuses = statusesSeen();
      if (!String.valueOf(error).contains(rejection.says())) throw new IllegalStateException("expected " + rejection.says(), error);
      return statuses.equals(rejection.status()) ? "1 sent" : "answered " + statuses + ": " + error;
    }
  }

  /** The statuses of the answers to POST requests since the last call. */
  static String statusesSeen() throws Exception {
    var address = URI.create(System.getenv("TOLLGATE_COUNTED_ORIGIN") + "/-/statuses");
    return HttpClient.newHttpClient().send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
  }

  /** With the retries that the libraries make on their own. */
  static void rejections() {
    var rejections = List.of(
        new Rejection("401", "a wrong key", "sk-tg-nobody", "gpt-conformance", "Incorrect API key"),
        new Rejection("402", "no money", System.getenv("TOLLGATE_EMPTY_KEY"), "gpt-conformance", "balance is $0.00"),
        new Rejection("404", "an unknown model", System.getenv("TOLLGATE_KEY"), "gpt-nobody", "does not exist or is not enabled"));
    var clients = Map.<String, Asking>of(
        "google-genai", Clients::googleText,
        "openai-java", Clients::openai,
        "langchain4j Gemini", (at, model) -> GoogleAiGeminiChatModel.builder()
            .baseUrl(at.origin() + "/v1beta").apiKey(at.key()).modelName(model).build().chat("say quince"),
        "langchain4j OpenAI", (at, model) -> OpenAiChatModel.builder()
            .baseUrl(at.origin() + "/v1").apiKey(at.key()).modelName(model).build().chat("say quince"),
        "langchain4j Anthropic", (at, model) -> AnthropicChatModel.builder()
            .baseUrl(at.origin() + "/v1").apiKey(at.key()).modelName(model).maxTokens(1000).build().chat("say quince"),
        "langchain4j OpenAI, streamed", (at, model) -> ask(OpenAiStreamingChatModel.builder()
            .baseUrl(at.origin() + "/v1").apiKey(at.key()).modelName(model).build(), "say quince"));
    for (var rejection : rejections) {
      clients.forEach((name, asking) -> check(
          name + ": " + rejection.status() + " (" + rejection.why() + ") is reported and not repeated",
          "1 sent", () -> rejected(asking, rejection)));
    }
  }

  public static void main(String[] arguments) {
    var places = List.of(
        new Place("", System.getenv("TOLLGATE_ORIGIN"), System.getenv("TOLLGATE_KEY")),
        new Place(" after silences", System.getenv("TOLLGATE_SILENT_ORIGIN"), System.getenv("TOLLGATE_SILENT_KEY")));
    for (var model : List.of("gpt-conformance", "claude-conformance", "gemini-conformance")) {
      for (var at : places) {
        var on = at.when() + " on " + model;
        check("google-genai: streamed" + on, "quince", () -> googleText(at, model));
        check("google-genai: a call" + on, "Paris", () -> googleCall(at, model));
        check("openai-java: streamed" + on, "quince", () -> openai(at, model));
        var models = Map.<String, StreamingChatModel>of(
            "langchain4j Gemini", GoogleAiGeminiStreamingChatModel.builder()
                .baseUrl(at.origin() + "/v1beta").apiKey(at.key()).modelName(model)
                .returnThinking(true).sendThinking(true).build(),
            "langchain4j OpenAI", OpenAiStreamingChatModel.builder()
                .baseUrl(at.origin() + "/v1").apiKey(at.key()).modelName(model).build(),
            "langchain4j Anthropic", AnthropicStreamingChatModel.builder()
                .baseUrl(at.origin() + "/v1").apiKey(at.key()).modelName(model).maxTokens(1000).build());
        models.forEach((name, chat) -> {
          check(name + ": streamed" + on, "quince", () -> ask(chat, "say quince and pear"));
          check(name + ": a tool round trip" + on, "sunny in Paris", () -> ask(chat, "use weather {\"city\":\"Paris\"}"));
        });
      }
    }
    rejections();
    System.exit(failed ? 1 : 0);
  }
}
