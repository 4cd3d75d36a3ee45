/**
 * Compares the sandbox's responses with recorded ones, field by field: it invents no field that no recording
 * of the same kind has, and lacks none that every such recording has.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ConversationFormat } from '../src/wire/format-names.ts'
import { type FixtureCase, fixtureCases } from '../test/support/fixtures.ts'
import { manualClock } from '../test/support/manual-clock.ts'
import { eventsIn, exchange } from '../test/support/sandbox-client.ts'
import { plainRequest } from '../test/support/sandbox-formats.ts'
import { isObject, type JsonObject, objectsIn } from './request/normalized-request.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

let starting: Promise<Sandbox> | undefined

/** Starts with the first case: without recorded answers there is none, and nothing may stay open. */
function sandboxOfAll(): Promise<Sandbox> {
  starting ??= startSandbox({ clock: manualClock() })
  return starting
}
after(async () => (await starting)?.close())

/** The inputs and outputs of a tool have their own fields. */
const toolFields = /\.(input|args|parameters)$/

/** `path:type` of every field, except the fields of tools. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`))
  if (isObject(value) && !toolFields.test(path)) {
    return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, `${path}.${name}`))
  }
  return [`${path}:${value === null ? 'null' : typeof value}`]
}

/** The kind of a chunk or answer of Gemini: what its parts hold and whether it is the last one. */
function geminiKindOf({ candidates }: JsonObject): string {
  const [candidate] = objectsIn(candidates)
  const content = isObject(candidate?.content) ? candidate.content : {}
  const parts = objectsIn(content.parts).map((part) =>
    part.text === '' ? 'blank' : Object.keys(part).sort().join('+'),
  )
  return `gemini ${[...new Set(parts)].sort()} ${candidate?.finishReason ?? ''}`
}

/**
 * The kind of an event or answer: in Messages and Responses its type and that of what it holds, in Chat
 * Completions what its choice holds.
 */
function kindOf(value: unknown): string {
  if (!isObject(value)) return String(value)
  if ('candidates' in value) return geminiKindOf(value)
  if (isObject(value.error)) return 'error'
  const [choice] = Array.isArray(value.choices) ? value.choices : []
  const message = isObject(choice) ? (choice.delta ?? choice.message) : undefined
  if (isObject(message))
    return `${value.object} ${Object.keys(message)
      .filter((name) => name !== 'annotations')
      .sort()}`
  const block = value.delta ?? value.content_block
  const blocks = Array.isArray(value.content) ? value.content.map((part) => isObject(part) && part.type) : []
  const item = isObject(value.item) ? [value.item.type, value.item.status] : []
  return [value.type ?? value.object, isObject(block) && block.type, ...blocks, ...item]
    .filter(Boolean)
    .join(' ')
}

/**
 * An event or answer in the pieces that are compared: an answer of Responses apart from its items and its event,
 * a chunk of Gemini apart from its usage. Older recordings of Responses do not number their events.
 */
function piecesOf(piece: unknown): readonly unknown[] {
  if (!isObject(piece)) return [piece]
  const { sequence_number: _, ...value } = piece
  if (isObject(value.response)) return [{ ...value, response: null }, ...piecesOf(value.response)]
  if (isObject(value.usageMetadata)) {
    return [
      { ...value, usageMetadata: null },
      { type: 'usage', usageMetadata: value.usageMetadata },
    ]
  }
  if (value.object !== 'response') return [value]
  const { output, ...answer } = value
  return [{ ...answer, output: [] }, ...objectsIn(output).map((item) => ({ type: 'finished', item }))]
}

interface Kind {
  /** Fields that some recording has. */
  readonly known: Set<string>
  /** Names that every recording has, with any type. */
  always: Set<string>
}

function nameOf(field: string): string {
  return field.slice(0, field.lastIndexOf(':'))
}

/** Only the provider itself: hosts that imitate it differ. */
function isOwn({ url, status }: FixtureCase): boolean {
  return (
    status === 200 &&
    /^https:\/\/(api\.(openai|anthropic)|generativelanguage\.googleapis)\.com\//.test(url) &&
    !url.includes('count_tokens')
  )
}

function kindsIn(cases: readonly FixtureCase[]): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const { kind, response } of cases) {
    const text = response.toString('utf8')
    const values = kind === 'stream' ? eventsIn(text) : [JSON.parse(text)]
    for (const value of values.flatMap(piecesOf)) {
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

const geminiTools = [{ functionDeclarations: [{ name: 'find', parametersJsonSchema: parameters }] }]

/** Request fields of each format for the recorded answers. */
const formats: Readonly<Record<ConversationFormat, object>> = {
  'openai-chat': { tools: chatTools },
  'openai-responses': {
    tools: [{ type: 'function', name: 'find', parameters, strict: true }],
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low', summary: 'auto' },
    max_output_tokens: undefined,
  },
  anthropic: { tools: messagesTools },
  gemini: { tools: geminiTools, generationConfig: { thinkingConfig: { includeThoughts: true } } },
}
const models = ['sandbox-echo', 'sandbox-tool', 'sandbox-think']

for (const [name, more] of Object.entries(formats)) {
  const format = name as ConversationFormat
  const kinds = kindsIn(fixtureCases(format).filter(isOwn))
  for (const model of kinds.size === 0 ? [] : models) {
    for (const stream of [true, false]) {
      test(`${model} answers like ${format}, ${stream ? 'streamed' : 'whole'}`, async () => {
        const { origin } = await sandboxOfAll()
        const { body } = await exchange(origin, plainRequest(format, model, 'hi', { stream, more }))
        const values = stream ? eventsIn(body) : [JSON.parse(body) as unknown]
        assert.ok(values.length > 0)
        for (const value of values.flatMap(piecesOf)) {
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
