/** Libraries for Go, Java and Rust, and how each is pointed at this server. docs/clients.md says which of it was seen working. */
import { doubleQuoted } from './quote.ts'
import { type Facts, hello, keyStep, type Language, type Recipe, run } from './recipe.ts'

interface Sdk {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly prefers: Recipe['prefers']
  readonly install: string
  readonly language: Language
  readonly file: string
  readonly text: (facts: Facts) => string
  readonly notes?: (facts: Facts) => readonly string[]
}

const sdks: readonly Sdk[] = [
  {
    id: 'openai-go',
    name: 'OpenAI SDK (Go)',
    about: "OpenAI's library for Go.",
    prefers: 'openai-chat',
    install: 'go get github.com/openai/openai-go/v3',
    language: 'go',
    file: 'main.go',
    text: ({ address, model }) => `client := openai.NewClient(
	option.WithBaseURL("${address}/v1"),
	option.WithAPIKey(os.Getenv("TOLLGATE_KEY")),
)
answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
	Model:    ${doubleQuoted(model.name)},
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(${doubleQuoted(hello)})},
})`,
  },
  {
    id: 'anthropic-go',
    name: 'Anthropic SDK (Go)',
    about: "Anthropic's library for Go.",
    prefers: 'anthropic',
    install: 'go get github.com/anthropics/anthropic-sdk-go',
    language: 'go',
    file: 'main.go',
    text: ({ address, model }) => `client := anthropic.NewClient(
	option.WithBaseURL("${address}"),
	option.WithAPIKey(os.Getenv("TOLLGATE_KEY")),
)
answer, err := client.Messages.New(ctx, anthropic.MessageNewParams{
	Model:     ${doubleQuoted(model.name)},
	MaxTokens: 1024,
	Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(${doubleQuoted(hello)}))},
})`,
  },
  {
    id: 'google-go',
    name: 'Google GenAI SDK (Go)',
    about: "Google's library for Go.",
    prefers: 'gemini',
    install: 'go get google.golang.org/genai',
    language: 'go',
    file: 'main.go',
    text: ({ address, model }) => `client, err := genai.NewClient(ctx, &genai.ClientConfig{
	APIKey:      os.Getenv("TOLLGATE_KEY"),
	Backend:     genai.BackendGeminiAPI,
	HTTPOptions: genai.HTTPOptions{BaseURL: "${address}"},
})
answer, err := client.Models.GenerateContent(ctx, ${doubleQuoted(model.name)}, genai.Text(${doubleQuoted(hello)}), nil)`,
  },
  {
    id: 'openai-java',
    name: 'OpenAI SDK (Java)',
    about: "OpenAI's library for Java and Kotlin.",
    prefers: 'openai-chat',
    install: 'mvn dependency:get -Dartifact=com.openai:openai-java:LATEST',
    language: 'java',
    file: 'Ask.java',
    text: ({ address, model }) => `var client = OpenAIOkHttpClient.builder()
    .baseUrl("${address}/v1")
    .apiKey(System.getenv("TOLLGATE_KEY"))
    .build();
var params = ChatCompletionCreateParams.builder()
    .model(${doubleQuoted(model.name)})
    .addUserMessage(${doubleQuoted(hello)})
    .build();
client.chat().completions().create(params).choices().forEach(choice ->
    System.out.println(choice.message().content().orElse("")));`,
  },
  {
    id: 'google-java',
    name: 'Google GenAI SDK (Java)',
    about: "Google's library for Java.",
    prefers: 'gemini',
    install: 'mvn dependency:get -Dartifact=com.google.genai:google-genai:LATEST',
    language: 'java',
    file: 'Ask.java',
    text: ({ address, model }) => `var client = Client.builder()
    .apiKey(System.getenv("TOLLGATE_KEY"))
    .httpOptions(HttpOptions.builder().baseUrl("${address}").build())
    .build();
var answer = client.models.generateContent(${doubleQuoted(model.name)}, ${doubleQuoted(hello)}, null);
System.out.println(answer.text());`,
  },
  {
    id: 'langchain4j',
    name: 'LangChain4j',
    about: 'Chat models and agents for Java.',
    prefers: 'openai-chat',
    install: 'mvn dependency:get -Dartifact=dev.langchain4j:langchain4j-open-ai:LATEST',
    language: 'java',
    file: 'Ask.java',
    text: ({ address, model }) => `var model = OpenAiChatModel.builder()
    .baseUrl("${address}/v1")
    .apiKey(System.getenv("TOLLGATE_KEY"))
    .modelName(${doubleQuoted(model.name)})
    .build();
System.out.println(model.chat(${doubleQuoted(hello)}));`,
    notes: ({ address }) => [
      `AnthropicChatModel takes ${address}/v1, GoogleAiGeminiChatModel ${address}/v1beta; for tools on Gemini's own models the latter needs returnThinking(true) and sendThinking(true).`,
    ],
  },
  {
    id: 'async-openai',
    name: 'async-openai (Rust)',
    about: "A library for OpenAI's formats in Rust.",
    prefers: 'openai-chat',
    install: 'cargo add async-openai --features chat-completion',
    language: 'rust',
    file: 'src/main.rs',
    text: ({ address, model }) => `let config = OpenAIConfig::new()
    .with_api_base("${address}/v1")
    .with_api_key(std::env::var("TOLLGATE_KEY")?);
let client = Client::with_config(config);
let request = CreateChatCompletionRequestArgs::default()
    .model(${doubleQuoted(model.name)})
    .messages([ChatCompletionRequestUserMessage::from(${doubleQuoted(hello)}).into()])
    .build()?;
let answer = client.chat().create(request).await?;`,
  },
]

export const sdkRecipes: readonly Recipe[] = sdks.map(
  ({ id, name, about, prefers, install, language, file, text, notes = () => [] }) => ({
    id,
    name,
    about,
    prefers,
    group: 'Libraries',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', install),
      { title: 'Ask', snippet: { language, file, text: text(facts) } },
    ],
    notes,
  }),
)
