/**
 * Holds the sandbox's answers against recorded ones, field by field: it invents no field that no recording
 * of the same kind has, and lacks none that every such recording has.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type FixtureCase, fixtureCases } from '../../test/support/fixtures.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { type DialectPath, eventsIn, exchange, plainBody } from '../../test/support/sandbox-client.ts'
import { isObject } from './ask.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

let starting: Promise<Sandbox> | undefined

/** Started by the first case: without recorded answers there is none, and nothing may stay open. */
function sandboxOfAll(): Promise<Sandbox> {
  starting ??= startSandbox({ clock: manualClock() })
  return starting
}
after(async () => (await starting)?.close())

/** `path:type` of every field; what a tool is given has fields of its own and is not looked into. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`))
  if (isObject(value) && !path.endsWith('.input')) {
    return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, `${path}.${name}`))
  }
  return [`${path}:${value === null ? 'null' : typeof value}`]
}

/** The kind of an event or answer: its type in Messages, what its choice holds in Chat Completions. */
function kindOf(value: unknown): string {
  if (!isObject(value)) return String(value)
  if ('error' in value) return 'error'
  const [choice] = Array.isArray(value.choices) ? value.choices : []
  const held = isObject(choice) ? (choice.delta ?? choice.message) : undefined
  if (isObject(held))
    return `${value.object} ${Object.keys(held)
      .filter((name) => name !== 'annotations')
      .sort()}`
  const block = value.delta ?? value.content_block
  const blocks = Array.isArray(value.content) ? value.content.map((part) => isObject(part) && part.type) : []
  return [value.type ?? value.object, isObject(block) && block.type, ...blocks].filter(Boolean).join(' ')
}

interface Kind {
  /** Fields that some recording has. */
  readonly known: Set<string>
  /** Names that every recording has, whatever their type. */
  always: Set<string>
}

function nameOf(field: string): string {
  return field.slice(0, field.lastIndexOf(':'))
}

/** Only the provider itself: hosts that imitate it have habits of their own. */
function isOwn({ url, status }: FixtureCase): boolean {
  return (
    status === 200 && /^https:\/\/api\.(openai|anthropic)\.com\//.test(url) && !url.includes('count_tokens')
  )
}

function kindsIn(cases: readonly FixtureCase[]): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const { kind, response } of cases) {
    const text = response.toString('utf8')
    for (const value of kind === 'stream' ? eventsIn(text) : [JSON.parse(text)]) {
      const fields = fieldsOf(value)
      const names = new Set(fields.map(nameOf))
      const seen = kinds.get(kindOf(value)) ?? { known: new Set(), always: names }
      for (const field of fields) seen.known.add(field)
      seen.always = new Set([...seen.always].filter((name) => names.has(name)))
      kinds.set(kindOf(value), seen)
    }
  }
  return kinds
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const chatTools = [{ type: 'function', function: { name: 'find', parameters } }]
const messagesTools = [{ name: 'find', input_schema: parameters }]

const dialects: readonly (readonly ['openai-chat' | 'anthropic', DialectPath, object])[] = [
  ['openai-chat', '/v1/chat/completions', { tools: chatTools, stream_options: { include_usage: true } }],
  ['anthropic', '/v1/messages', { tools: messagesTools }],
]
const models = ['sandbox-echo', 'sandbox-tool', 'sandbox-think']

for (const [provider, path, more] of dialects) {
  const kinds = kindsIn(fixtureCases(provider).filter(isOwn))
  for (const model of kinds.size === 0 ? [] : models) {
    for (const stream of [true, false]) {
      test(`${model} answers like ${provider}, ${stream ? 'streamed' : 'whole'}`, async () => {
        const options = stream ? more : { ...more, stream_options: undefined }
        const { origin } = await sandboxOfAll()
        const { body } = await exchange(origin, {
          path,
          body: plainBody(model, 'hi', { ...options, stream }),
        })
        const values = stream ? eventsIn(body) : [JSON.parse(body) as unknown]
        assert.ok(values.length > 0)
        for (const value of values) {
          const recorded = kinds.get(kindOf(value))
          assert.ok(recorded, `nothing of the kind was recorded: ${kindOf(value)}`)
          const fields = fieldsOf(value)
          const names = new Set(fields.map(nameOf))
          assert.deepEqual(
            fields.filter((field) => !recorded.known.has(field)),
            [],
            `invented in ${kindOf(value)}`,
          )
          assert.deepEqual(
            [...recorded.always].filter((name) => !names.has(name)),
            [],
            `lacking in ${kindOf(value)}`,
          )
        }
      })
    }
  }
}
