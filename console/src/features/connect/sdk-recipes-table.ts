/** Libraries for Go, Java and Rust, with a complete program for each. docs/clients.md lists what was verified. */
import { doubleQuoted } from './quote.ts'
import { type Facts, file, hello, keyStep, type Recipe, run, type Step } from './recipe.ts'

interface Sdk {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly prefers: Recipe['prefers']
  /** After the step for the key. */
  readonly steps: (facts: Facts) => readonly Step[]
  readonly notes?: (facts: Facts) => readonly string[]
}

/** A program of one file in a separate folder. */
const goSteps = (module: string, program: string): readonly Step[] => [
  run('Create a module', `mkdir ask && cd ask\ngo mod init ask\ngo get ${module}`),
  file('Send a request', 'go', 'main.go', program),
  run('Run it', 'go run .'),
]

function goProgram(imports: readonly string[], body: string): string {
  const quotedImports = imports.map((path) => (path === '' ? '' : `\t"${path}"`)).join('\n')
  const lines = body.split('\n').map((line) => (line === '' ? '' : `\t${line}`))
  return `package main\n\nimport (\n${quotedImports}\n)\n\nfunc main() {\n${lines.join('\n')}\n}`
}

interface Artifact {
  readonly group: string
  readonly name: string
  readonly version: string
}

/** A source file that Java runs without compiling it first, with the library in a folder next to it. */
const javaSteps = ({ group, name, version }: Artifact, program: string): readonly Step[] => [
  file(
    'Declare the dependency',
    'xml',
    'pom.xml',
    `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>ask</groupId>
  <artifactId>ask</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${name}</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>`,
  ),
  run('Install it', 'mvn -q dependency:copy-dependencies -DoutputDirectory=lib'),
  file('Send a request', 'java', 'Ask.java', program),
  run('Run it', "java -cp 'lib/*' Ask.java"),
]

function javaProgram(imports: readonly string[], body: string): string {
  const lines = body.split('\n').map((line) => `    ${line}`)
  return `${imports.map((name) => `import ${name};\n`).join('')}
public class Ask {
  public static void main(String[] arguments) {
${lines.join('\n')}
  }
}`
}

const sdks: readonly Sdk[] = [
  {
    id: 'openai-go',
    name: 'OpenAI SDK (Go)',
    about: "OpenAI's library for Go.",
    prefers: 'openai-chat',
    steps: ({ address, model }) =>
      goSteps(
        'github.com/openai/openai-go/v3',
        goProgram(
          [
            ...['context', 'fmt', 'os', ''],
            ...['github.com/openai/openai-go/v3', 'github.com/openai/openai-go/v3/option'],
          ],
          `client := openai.NewClient(
	option.WithBaseURL("${address}/v1"),
	option.WithAPIKey(os.Getenv("TOLLGATE_KEY")),
)
answer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
	Model:    ${doubleQuoted(model.name)},
	Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(${doubleQuoted(hello)})},
})
if err != nil {
	panic(err)
}
fmt.Println(answer.Choices[0].Message.Content)`,
        ),
      ),
  },
  {
    id: 'anthropic-go',
    name: 'Anthropic SDK (Go)',
    about: "Anthropic's library for Go.",
    prefers: 'anthropic',
    steps: ({ address, model }) =>
      goSteps(
        'github.com/anthropics/anthropic-sdk-go',
        goProgram(
          [
            ...['context', 'fmt', 'os', ''],
            ...['github.com/anthropics/anthropic-sdk-go', 'github.com/anthropics/anthropic-sdk-go/option'],
          ],
          `client := anthropic.NewClient(
	option.WithBaseURL("${address}"),
	option.WithAPIKey(os.Getenv("TOLLGATE_KEY")),
)
answer, err := client.Messages.New(context.Background(), anthropic.MessageNewParams{
	Model:     ${doubleQuoted(model.name)},
	MaxTokens: 1024,
	Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(${doubleQuoted(hello)}))},
})
if err != nil {
	panic(err)
}
for _, block := range answer.Content {
	if block.Type == "text" {
		fmt.Println(block.Text)
	}
}`,
        ),
      ),
  },
  {
    id: 'google-go',
    name: 'Google Gen AI SDK (Go)',
    about: "Google's library for Go.",
    prefers: 'gemini',
    steps: ({ address, model }) =>
      goSteps(
        'google.golang.org/genai',
        goProgram(
          ['context', 'fmt', 'os', '', 'google.golang.org/genai'],
          `ctx := context.Background()
client, err := genai.NewClient(ctx, &genai.ClientConfig{
	APIKey:      os.Getenv("TOLLGATE_KEY"),
	Backend:     genai.BackendGeminiAPI,
	HTTPOptions: genai.HTTPOptions{BaseURL: "${address}"},
})
if err != nil {
	panic(err)
}
answer, err := client.Models.GenerateContent(ctx, ${doubleQuoted(model.name)}, genai.Text(${doubleQuoted(hello)}), nil)
if err != nil {
	panic(err)
}
fmt.Println(answer.Text())`,
        ),
      ),
  },
  {
    id: 'openai-java',
    name: 'OpenAI SDK (Java)',
    about: "OpenAI's library for Java and Kotlin.",
    prefers: 'openai-chat',
    steps: ({ address, model }) =>
      javaSteps(
        { group: 'com.openai', name: 'openai-java', version: '4.101.0' },
        javaProgram(
          [
            'com.openai.client.okhttp.OpenAIOkHttpClient',
            'com.openai.models.chat.completions.ChatCompletionCreateParams',
          ],
          `var client = OpenAIOkHttpClient.builder()
    .baseUrl("${address}/v1")
    .apiKey(System.getenv("TOLLGATE_KEY"))
    .build();
var params = ChatCompletionCreateParams.builder()
    .model(${doubleQuoted(model.name)})
    .addUserMessage(${doubleQuoted(hello)})
    .build();
client.chat().completions().create(params).choices().forEach(choice ->
    System.out.println(choice.message().content().orElse("")));
client.close();`,
        ),
      ),
  },
  {
    id: 'google-java',
    name: 'Google Gen AI SDK (Java)',
    about: "Google's library for Java.",
    prefers: 'gemini',
    steps: ({ address, model }) =>
      javaSteps(
        { group: 'com.google.genai', name: 'google-genai', version: '1.70.0' },
        javaProgram(
          ['com.google.genai.Client', 'com.google.genai.types.HttpOptions'],
          `try (var client = Client.builder()
    .apiKey(System.getenv("TOLLGATE_KEY"))
    .httpOptions(HttpOptions.builder().baseUrl("${address}").build())
    .build()) {
  var answer = client.models.generateContent(${doubleQuoted(model.name)}, ${doubleQuoted(hello)}, null);
  System.out.println(answer.text());
}`,
        ),
      ),
  },
  {
    id: 'langchain4j',
    name: 'LangChain4j',
    about: 'Chat models and agents for Java.',
    prefers: 'openai-chat',
    steps: ({ address, model }) =>
      javaSteps(
        { group: 'dev.langchain4j', name: 'langchain4j-open-ai', version: '1.19.0' },
        javaProgram(
          ['dev.langchain4j.model.openai.OpenAiChatModel'],
          `var model = OpenAiChatModel.builder()
    .baseUrl("${address}/v1")
    .apiKey(System.getenv("TOLLGATE_KEY"))
    .modelName(${doubleQuoted(model.name)})
    .build();
System.out.println(model.chat(${doubleQuoted(hello)}));`,
        ),
      ),
    notes: ({ address }) => [
      `AnthropicChatModel takes ${address}/v1 as baseUrl, GoogleAiGeminiChatModel ${address}/v1beta. For tool calls on Gemini models, set returnThinking(true) and sendThinking(true) on the latter.`,
    ],
  },
  {
    id: 'async-openai',
    name: 'async-openai (Rust)',
    about: "A library for OpenAI's formats in Rust.",
    prefers: 'openai-chat',
    steps: ({ address, model }) => [
      run(
        'Create a package',
        [
          'cargo new ask && cd ask',
          'cargo add async-openai --features chat-completion',
          'cargo add tokio --features macros,rt-multi-thread',
        ].join('\n'),
      ),
      file(
        'Send a request',
        'rust',
        'src/main.rs',
        `use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = OpenAIConfig::new()
        .with_api_base("${address}/v1")
        .with_api_key(std::env::var("TOLLGATE_KEY")?);
    let client = Client::with_config(config);
    let request = CreateChatCompletionRequestArgs::default()
        .model(${doubleQuoted(model.name)})
        .messages([ChatCompletionRequestUserMessage::from(${doubleQuoted(hello)}).into()])
        .build()?;
    let answer = client.chat().create(request).await?;
    println!("{}", answer.choices[0].message.content.as_deref().unwrap_or(""));
    Ok(())
}`,
      ),
      run('Run it', 'cargo run'),
    ],
  },
]

export const sdkRecipes: readonly Recipe[] = sdks.map(
  ({ id, name, about, prefers, steps, notes = () => [] }) => ({
    id,
    name,
    about,
    prefers,
    group: 'Libraries',
    steps: (facts) => [keyStep(facts), ...steps(facts)],
    notes,
  }),
)
