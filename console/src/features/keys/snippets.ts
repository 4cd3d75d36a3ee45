/** The first request, ready to paste, for each client. Pure: base URL, key and model are parameters. */
export interface SnippetParts {
  /** Origin of the server. */
  readonly address: string
  /** The key itself just after it was created, else `$TOLLGATE_KEY`. */
  readonly apiKey: string
  readonly model: string
}

export interface Snippet {
  readonly id: string
  readonly label: string
  readonly language: string
  readonly text: string
}

/** The placeholder for an unknown key. */
export const keyVariable = '$TOLLGATE_KEY'

/** In a double-quoted string of a shell, Python or JavaScript. */
const quoted = (text: string) => JSON.stringify(text)

function curlSnippet({ address, apiKey, model }: SnippetParts): string {
  return `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] }).replaceAll("'", "'\\''")}'`
}

export function snippets(parts: SnippetParts): readonly Snippet[] {
  const { address, apiKey, model } = parts
  const pythonKey = apiKey === keyVariable ? 'os.environ["TOLLGATE_KEY"]' : quoted(apiKey)
  const scriptKey = apiKey === keyVariable ? 'process.env.TOLLGATE_KEY' : quoted(apiKey)
  const importOs = apiKey === keyVariable ? 'import os\n' : ''
  return [
    { id: 'curl', label: 'curl', language: 'shell', text: curlSnippet(parts) },
    {
      id: 'openai-python',
      label: 'Python',
      language: 'python',
      text: `# pip install openai
${importOs}from openai import OpenAI

client = OpenAI(base_url=${quoted(`${address}/v1`)}, api_key=${pythonKey})
answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'openai-js',
      label: 'JavaScript',
      language: 'javascript',
      text: `// npm install openai; save this as ask.mjs and run: node ask.mjs
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${quoted(`${address}/v1`)}, apiKey: ${scriptKey} })
const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Say hello.' }],
})
console.log(answer.choices[0].message.content)`,
    },
    {
      id: 'anthropic-python',
      label: 'Anthropic Python',
      language: 'python',
      text: `# pip install anthropic
${importOs}from anthropic import Anthropic

client = Anthropic(base_url=${quoted(`${address}/v1/alt`)}, api_key=${pythonKey})
answer = client.messages.create(
    model=${quoted(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.content[0].text)`,
    },
    {
      id: 'anthropic-js',
      label: 'Anthropic JavaScript',
      language: 'javascript',
      text: `// npm install @anthropic-ai/sdk; save this as ask.mjs and run: node ask.mjs
import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: ${quoted(`${address}/v1/alt`)}, apiKey: ${scriptKey} })
const answer = await client.messages.create({
  model: ${quoted(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Say hello.' }],
})
console.log(answer.content[0].text)`,
    },
    {
      id: 'env',
      label: 'Environment',
      language: 'shell',
      text: `export OPENAI_BASE_URL=${quoted(`${address}/v1`)}
export OPENAI_API_KEY="${apiKey}"
export ANTHROPIC_BASE_URL=${quoted(`${address}/v1/alt`)}
export ANTHROPIC_API_KEY="${apiKey}"`,
    },
  ]
}
