/** The playground's request as code: shell, TypeScript and Python. Pure. */
import { quoted, shellQuoted } from '../connect/quote.ts'
import type { Json } from './conversation.ts'

export interface CodeExample {
  readonly id: 'curl' | 'typescript' | 'python'
  readonly label: string
  readonly language: string
  readonly text: string
}

type Body = { readonly [name: string]: Json }

/** `address`: where clients reach the server. Images are named instead of included. */
export function codeExamples(address: string, body: Body): readonly CodeExample[] {
  const short = shortened(body) as Body
  return [
    { id: 'curl', label: 'curl', language: 'Shell', text: curl(address, short) },
    { id: 'typescript', label: 'TypeScript', language: 'TypeScript', text: typescript(address, short) },
    { id: 'python', label: 'Python', language: 'Python', text: python(address, short) },
  ]
}

function curl(address: string, body: Body): string {
  return `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer $TOLLGATE_KEY" \\
  -H "Content-Type: application/json" \\
  -d ${shellQuoted(JSON.stringify(body, null, 2))}`
}

function typescript(address: string, body: Body): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ apiKey: process.env.TOLLGATE_KEY, baseURL: '${address}/v1' })

const answer = await client.chat.completions.create(${literal(body, scriptWords)})
console.log(answer.choices[0].message.content)`
}

function python(address: string, body: Body): string {
  const fields = Object.entries(body)
    .map(([name, value]) => `    ${name}=${indented(literal(value, pythonWords), '    ')},`)
    .join('\n')
  return `import os
from openai import OpenAI

client = OpenAI(api_key=os.environ['TOLLGATE_KEY'], base_url='${address}/v1')

answer = client.chat.completions.create(
${fields}
)
print(answer.choices[0].message.content)`
}

interface Words {
  readonly true: string
  readonly false: string
  readonly null: string
  readonly key: (name: string) => string
}
const scriptWords: Words = {
  true: 'true',
  false: 'false',
  null: 'null',
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : quoted(name)),
}
const pythonWords: Words = { true: 'True', false: 'False', null: 'None', key: quoted }

/** A value as a literal of a language, small ones on one line. */
function literal(value: Json, words: Words): string {
  if (value === null) return words.null
  if (typeof value === 'boolean') return value ? words.true : words.false
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return quoted(value)
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item: Json) => literal(item, words))
    : Object.entries(value).map(([name, item]) => `${words.key(name)}: ${literal(item as Json, words)}`)
  const [open, close] = isList ? ['[', ']'] : ['{ ', ' }']
  const line = `${open}${items.join(', ')}${close}`
  if (items.length === 0) return isList ? '[]' : '{}'
  if (line.length <= lineCharactersMax && !line.includes('\n')) return line
  const lines = items.map((item) => `  ${indented(item, '  ')},`).join('\n')
  return `${open.trim()}\n${lines}\n${close.trim()}`
}

const lineCharactersMax = 72

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`)
}

/** The bytes of images are of no use to a reader. */
function shortened(value: Json): Json {
  if (typeof value === 'string') return value.replace(/^(data:image\/[\w.+-]+;base64,).*$/s, '$1…')
  if (Array.isArray(value)) return value.map(shortened)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shortened(item as Json)]))
}
