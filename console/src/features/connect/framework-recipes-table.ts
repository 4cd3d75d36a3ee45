/** Agent frameworks, and how each is configured for this server. docs/clients.md lists what was verified. */
import { quoted } from './quote.ts'
import { type Facts, hello, keyStep, program, type Recipe, run } from './recipe.ts'

interface Framework {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly install: string
  readonly language: 'typescript' | 'python'
  readonly prefers?: Recipe['prefers']
  readonly text: (facts: Facts) => string
  readonly notes?: (facts: Facts) => readonly string[]
}

const frameworks: readonly Framework[] = [
  {
    id: 'litellm',
    name: 'LiteLLM',
    about: 'One Python interface to many providers.',
    install: 'pip install litellm mcp',
    language: 'python',
    text: ({ address, model }) => `import os
import litellm

answer = litellm.completion(
    model=${quoted(`openai/${model.name}`)},
    api_base='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
    messages=[{'role': 'user', 'content': ${quoted(hello)}}],
)
print(answer.choices[0].message.content)`,
    notes: ({ address }) => [
      `The prefix selects the API format: with anthropic/, api_base is ${address}; with gemini/, it is ${address}/v1beta. Every model works with each.`,
      'Streaming tool calls requires the mcp package.',
    ],
  },
  {
    id: 'dspy',
    name: 'DSPy',
    about: 'A framework that optimizes its own prompts.',
    install: 'pip install dspy',
    language: 'python',
    text: ({ address, model }) => `import os
import dspy

lm = dspy.LM(
    ${quoted(`openai/${model.name}`)},
    api_base='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
)
dspy.configure(lm=lm)
print(lm(${quoted(hello)})[0])`,
    notes: ({ address }) => [
      `With the prefix anthropic/, api_base is ${address}; with gemini/, it is ${address}/v1beta.`,
    ],
  },
  {
    id: 'smolagents',
    name: 'smolagents',
    about: "Hugging Face's agent library.",
    install: "pip install 'smolagents[openai]'",
    language: 'python',
    text: ({ address, model }) => `import os
from smolagents import ChatMessage, MessageRole, OpenAIModel

model = OpenAIModel(
    model_id=${quoted(model.name)},
    api_base='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
)
asked = [{'type': 'text', 'text': ${quoted(hello)}}]
print(model.generate([ChatMessage(role=MessageRole.USER, content=asked)]).content)`,
    notes: () => ['LiteLLMModel works too, with the same arguments as LiteLLM.'],
  },
  {
    id: 'pydantic-ai',
    name: 'Pydantic AI',
    about: 'Typed agents for Python.',
    install: 'pip install pydantic-ai',
    language: 'python',
    text: ({ address, model }) => `import os
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

provider = OpenAIProvider(
    base_url='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
)
agent = Agent(OpenAIChatModel(${quoted(model.name)}, provider=provider))
print(agent.run_sync(${quoted(hello)}).output)`,
    notes: ({ address }) => [
      `OpenAIResponsesModel takes the same provider; AnthropicProvider and GoogleProvider take base_url='${address}'.`,
    ],
  },
  {
    id: 'instructor',
    name: 'Instructor',
    about: 'Structured output in your own types.',
    install: 'pip install instructor',
    language: 'python',
    text: ({ address, model }) => `import os
import instructor
from openai import OpenAI

client = instructor.from_openai(
    OpenAI(base_url='${address}/v1', api_key=os.environ['TOLLGATE_KEY']),
)
answer = client.chat.completions.create(
    model=${quoted(model.name)},
    messages=[{'role': 'user', 'content': ${quoted(hello)}}],
    response_model=str,
)
print(answer)`,
    notes: () => [
      'from_anthropic and from_genai work too, with the Anthropic and Google clients set up as in their recipes.',
    ],
  },
  {
    id: 'openai-agents',
    name: 'OpenAI Agents SDK',
    about: "OpenAI's framework for agents, in Python.",
    install: 'pip install openai-agents',
    language: 'python',
    prefers: 'openai-responses',
    text: ({ address, model }) => `import os
from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

set_tracing_disabled(True)
client = AsyncOpenAI(
    base_url='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
)
agent = Agent(
    name='Greeter',
    model=OpenAIResponsesModel(model=${quoted(model.name)}, openai_client=client),
)
print(Runner.run_sync(agent, ${quoted(hello)}).final_output)`,
    notes: () => [
      'OpenAIChatCompletionsModel works too. Tracing is off because it would send data to OpenAI.',
    ],
  },
  {
    id: 'google-adk',
    name: 'Google ADK',
    about: "Google's Agent Development Kit.",
    install: 'pip install google-adk',
    language: 'python',
    prefers: 'gemini',
    text: ({ address, model }) => `import asyncio
import os
from google.adk.agents import Agent
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner

os.environ['GOOGLE_API_KEY'] = os.environ['TOLLGATE_KEY']
model = Gemini(model=${quoted(model.name)}, base_url='${address}')
runner = InMemoryRunner(agent=Agent(name='greeter', model=model))
asyncio.run(runner.run_debug(${quoted(hello)}))`,
    notes: ({ address }) => [
      `LiteLlm(model='openai/…', api_base='${address}/v1', api_key=…) works in place of Gemini.`,
    ],
  },
  {
    id: 'haystack',
    name: 'Haystack',
    about: 'Pipelines for search and agents.',
    install: 'pip install haystack-ai',
    language: 'python',
    text: ({ address, model }) => `from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

generator = OpenAIChatGenerator(
    model=${quoted(model.name)},
    api_base_url='${address}/v1',
    api_key=Secret.from_env_var('TOLLGATE_KEY'),
)
answer = generator.run(messages=[ChatMessage.from_user(${quoted(hello)})])
print(answer['replies'][0].text)`,
    notes: ({ address }) => [
      `AnthropicChatGenerator and GoogleGenAIChatGenerator read ANTHROPIC_BASE_URL and GOOGLE_GEMINI_BASE_URL: set both to ${address}.`,
    ],
  },
  {
    id: 'agno',
    name: 'Agno',
    about: 'Agents and multi-agent teams.',
    install: 'pip install agno openai',
    language: 'python',
    text: ({ address, model }) => `import os
from agno.agent import Agent
from agno.models.openai import OpenAIChat

model = OpenAIChat(
    id=${quoted(model.name)},
    base_url='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
)
print(Agent(model=model).run(${quoted(hello)}).content)`,
    notes: ({ address }) => [
      `OpenAIResponses takes the same arguments. Claude takes client_params={'base_url': '${address}'}, Gemini client_params={'http_options': {'base_url': '${address}'}}.`,
    ],
  },
  {
    id: 'crewai',
    name: 'CrewAI',
    about: 'Crews of cooperating agents.',
    install: 'pip install crewai',
    language: 'python',
    text: ({ address, model }) => `import os
from crewai import LLM

llm = LLM(
    model=${quoted(model.name)},
    provider='openai',
    base_url='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
)
print(llm.call(${quoted(hello)}))`,
    notes: ({ address }) => [`With provider='anthropic', base_url is '${address}'.`],
  },
  {
    id: 'autogen',
    name: 'AutoGen',
    about: "Microsoft's framework for multi-agent conversations.",
    install: "pip install autogen-agentchat 'autogen-ext[openai]'",
    language: 'python',
    text: ({ address, model }) => `import asyncio
import os
from autogen_core.models import ModelInfo, UserMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient

client = OpenAIChatCompletionClient(
    model=${quoted(model.name)},
    base_url='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
    model_info=ModelInfo(
        vision=True,
        function_calling=True,
        json_output=True,
        structured_output=True,
        family='unknown',
    ),
)
asked = [UserMessage(content=${quoted(hello)}, source='user')]
print(asyncio.run(client.create(asked)).content)`,
    notes: ({ address }) => [
      `AnthropicChatCompletionClient takes base_url='${address}'. It needs a version of the anthropic package before 1.0.`,
    ],
  },
  {
    id: 'llama-index',
    name: 'LlamaIndex',
    about: 'Agents over your own data.',
    install: 'pip install llama-index-llms-openai-like',
    language: 'python',
    text: ({ address, model }) => `import os
from llama_index.llms.openai_like import OpenAILike

llm = OpenAILike(
    model=${quoted(model.name)},
    api_base='${address}/v1',
    api_key=os.environ['TOLLGATE_KEY'],
    is_chat_model=True,
    is_function_calling_model=True,
    context_window=100_000,
)
print(llm.complete(${quoted(hello)}).text)`,
    notes: ({ address }) => [
      `GoogleGenAI takes http_options={'base_url': '${address}'}. Its Anthropic class rejects model names it does not know.`,
    ],
  },
  {
    id: 'strands',
    name: 'Strands Agents',
    about: "AWS's agent SDK, for any model.",
    install: "pip install 'strands-agents[openai]'",
    language: 'python',
    text: ({ address, model }) => `import os
from strands import Agent
from strands.models.openai import OpenAIModel

model = OpenAIModel(
    client_args={
        'base_url': '${address}/v1',
        'api_key': os.environ['TOLLGATE_KEY'],
    },
    model_id=${quoted(model.name)},
)
Agent(model=model)(${quoted(hello)})`,
    notes: ({ address }) => [
      `AnthropicModel takes client_args={'base_url': '${address}', …}, GeminiModel client_args={'http_options': {'base_url': '${address}'}, …}.`,
    ],
  },
  {
    id: 'mastra',
    name: 'Mastra',
    about: 'Agents and workflows in TypeScript.',
    install: 'npm install @mastra/core',
    language: 'typescript',
    text: ({ address, model }) => `import { Agent } from '@mastra/core/agent'

const agent = new Agent({
  id: 'greeter',
  name: 'Greeter',
  instructions: 'Answer in one sentence.',
  model: {
    id: ${quoted(`tollgate/${model.name}`)},
    url: '${address}/v1',
    apiKey: process.env.TOLLGATE_KEY,
  },
})
console.log((await agent.generate(${quoted(hello)})).text)`,
    notes: () => ['Vercel AI SDK models, set up as in their recipe, work too.'],
  },
  {
    id: 'genkit',
    name: 'Genkit',
    about: "Google's framework for AI features, in TypeScript.",
    install: 'npm install genkit @genkit-ai/google-genai',
    language: 'typescript',
    prefers: 'gemini',
    text: ({ address, model }) => `import { googleAI } from '@genkit-ai/google-genai'
import { genkit } from 'genkit'

const ai = genkit({
  plugins: [googleAI({ apiKey: process.env.TOLLGATE_KEY, baseUrl: '${address}' })],
})
const { text } = await ai.generate({
  model: googleAI.model(${quoted(model.name)}),
  prompt: ${quoted(hello)},
})
console.log(text)`,
  },
]

export const frameworkRecipes: readonly Recipe[] = frameworks.map(
  ({ id, name, about, install, language, prefers = 'openai-chat', text, notes = () => [] }) => ({
    id,
    name,
    about,
    prefers,
    group: 'Frameworks',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', install),
      program('Send a request', language, text(facts)),
    ],
    notes,
  }),
)
