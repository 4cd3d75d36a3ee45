/** Libraries, and how each is configured for this server. docs/clients.md lists what was verified. */
import { quoted } from './quote.ts'
import { alternative, hello, keyStep, program, type Recipe, run } from './recipe.ts'

const noNotes = () => []

export const libraryRecipes: readonly Recipe[] = [
  {
    id: 'openai-typescript',
    name: 'OpenAI SDK (TypeScript)',
    group: 'Libraries',
    about: "OpenAI's library for Node, Bun and Deno.",
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', 'npm install openai'),
      program(
        'Send a request',
        'typescript',
        `import OpenAI from 'openai'

const client = new OpenAI({
  apiKey: process.env.TOLLGATE_KEY,
  baseURL: '${facts.address}/v1',
})

const answer = await client.chat.completions.create({
  model: ${quoted(facts.model.name)},
  messages: [{ role: 'user', content: ${quoted(hello)} }],
})
console.log(answer.choices[0].message.content)`,
      ),
    ],
    notes: () => ['client.responses works with every model too.'],
  },
  {
    id: 'openai-python',
    name: 'OpenAI SDK (Python)',
    group: 'Libraries',
    about: "OpenAI's library for Python.",
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', 'pip install openai'),
      program(
        'Send a request',
        'python',
        `import os
from openai import OpenAI

client = OpenAI(
    api_key=os.environ['TOLLGATE_KEY'],
    base_url='${facts.address}/v1',
)

answer = client.chat.completions.create(
    model=${quoted(facts.model.name)},
    messages=[{'role': 'user', 'content': ${quoted(hello)}}],
)
print(answer.choices[0].message.content)`,
      ),
    ],
    notes: noNotes,
  },
  {
    id: 'anthropic-typescript',
    name: 'Anthropic SDK (TypeScript)',
    group: 'Libraries',
    about: "Anthropic's library for Node, Bun and Deno.",
    prefers: 'anthropic',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', 'npm install @anthropic-ai/sdk'),
      program(
        'Send a request',
        'typescript',
        `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  apiKey: process.env.TOLLGATE_KEY,
  baseURL: '${facts.address}/v1/alt',
})

const answer = await client.messages.create({
  model: ${quoted(facts.model.name)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: ${quoted(hello)} }],
})
for (const block of answer.content) if (block.type === 'text') console.log(block.text)`,
      ),
    ],
    notes: noNotes,
  },
  {
    id: 'anthropic-python',
    name: 'Anthropic SDK (Python)',
    group: 'Libraries',
    about: "Anthropic's library for Python.",
    prefers: 'anthropic',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', 'pip install anthropic'),
      program(
        'Send a request',
        'python',
        `import os
from anthropic import Anthropic

client = Anthropic(
    api_key=os.environ['TOLLGATE_KEY'],
    base_url='${facts.address}/v1/alt',
)

answer = client.messages.create(
    model=${quoted(facts.model.name)},
    max_tokens=1024,
    messages=[{'role': 'user', 'content': ${quoted(hello)}}],
)
for block in answer.content:
    if block.type == 'text':
        print(block.text)`,
      ),
    ],
    notes: noNotes,
  },
  {
    id: 'google-genai',
    name: 'Google Gen AI SDK',
    group: 'Libraries',
    about: "Google's library, for TypeScript and Python.",
    prefers: 'gemini',
    steps: (facts) => [
      keyStep(facts),
      alternative('TypeScript', run('Install it', 'npm install @google/genai')),
      alternative(
        'TypeScript',
        program(
          'Send a request',
          'typescript',
          `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: process.env.TOLLGATE_KEY,
  httpOptions: { baseUrl: '${facts.address}' },
})

const answer = await client.models.generateContent({
  model: ${quoted(facts.model.name)},
  contents: ${quoted(hello)},
})
console.log(answer.text)`,
        ),
      ),
      alternative('Python', run('Install it', 'pip install google-genai')),
      alternative(
        'Python',
        program(
          'Send a request',
          'python',
          `import os
from google import genai

client = genai.Client(
    api_key=os.environ['TOLLGATE_KEY'],
    http_options={'base_url': '${facts.address}'},
)

answer = client.models.generate_content(
    model=${quoted(facts.model.name)},
    contents=${quoted(hello)},
)
print(answer.text)`,
        ),
      ),
    ],
    notes: noNotes,
  },
  {
    id: 'ai-sdk',
    name: 'Vercel AI SDK',
    group: 'Libraries',
    about: 'The toolkit for TypeScript applications.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', 'npm install ai @ai-sdk/openai-compatible'),
      program(
        'Send a request',
        'typescript',
        `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const tollgate = createOpenAICompatible({
  name: 'tollgate',
  apiKey: process.env.TOLLGATE_KEY,
  baseURL: '${facts.address}/v1',
  includeUsage: true,
})

const { text } = await generateText({
  model: tollgate(${quoted(facts.model.name)}),
  prompt: ${quoted(hello)},
})
console.log(text)`,
      ),
    ],
    notes: ({ address }) => [
      `createOpenAI and createAnthropic take the same baseURL; createGoogleGenerativeAI takes ${address}/v1beta.`,
    ],
  },
  {
    id: 'langchain',
    name: 'LangChain',
    group: 'Libraries',
    about: 'Chat models for chains and agents, in TypeScript and Python.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      alternative('TypeScript', run('Install it', 'npm install @langchain/openai @langchain/core')),
      alternative(
        'TypeScript',
        program(
          'Send a request',
          'typescript',
          `import { ChatOpenAI } from '@langchain/openai'

const chat = new ChatOpenAI({
  model: ${quoted(facts.model.name)},
  apiKey: process.env.TOLLGATE_KEY,
  configuration: { baseURL: '${facts.address}/v1' },
})

const answer = await chat.invoke(${quoted(hello)})
console.log(answer.text)`,
        ),
      ),
      alternative('Python', run('Install it', 'pip install langchain-openai')),
      alternative(
        'Python',
        program(
          'Send a request',
          'python',
          `import os
from langchain_openai import ChatOpenAI

chat = ChatOpenAI(
    model=${quoted(facts.model.name)},
    api_key=os.environ['TOLLGATE_KEY'],
    base_url='${facts.address}/v1',
)

print(chat.invoke(${quoted(hello)}).content)`,
        ),
      ),
    ],
    notes: ({ address }) => [
      `ChatAnthropic works as well, with anthropicApiUrl: '${address}/v1/alt' (Python: base_url).`,
    ],
  },
]
