/**
 * Every recorded request into every other format, for models of every kind: the result is a request that the
 * format's own reader accepts and its checker finds valid, or an error that is listed here with its reason. A
 * continued conversation preserves its first bytes, so that prompt caches still match.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WireError } from '../../src/wire/format.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { readJson } from '../../src/wire/json/json.ts'
import type { TranslationTarget } from '../../src/wire/translation/neutral.ts'
import { isLoose, type Loose } from '../support/answer-gist.ts'
import {
  bytesOf,
  type Format,
  formats,
  limits,
  othersThan,
  type RecordedRequest,
  recordedRequests,
  sandboxTarget,
  sent,
  targetsOf,
  textOf,
  upstreamAddress,
} from '../support/translation.ts'

interface ListedRejection {
  readonly why: string
  readonly code: WireError['code']
  /** The models of the formats that are tried here; empty: all. */
  readonly to: readonly ConversationFormat[]
  readonly models: readonly string[]
  readonly cases: readonly string[]
}

const everywhere: readonly ConversationFormat[] = []
const all: readonly string[] = []

const rejections: readonly ListedRejection[] = [
  {
    why: 'findings of a moderation have no place in any other answer',
    code: 'untranslatable',
    to: everywhere,
    models: all,
    cases: ['openai-chat/moderation'],
  },
  {
    why: 'what a provider keeps, another one does not have',
    code: 'untranslatable',
    to: everywhere,
    models: all,
    cases: ['openai-responses/previous-response-id-t2'],
  },
  {
    why: 'a cached content belongs to whoever made it, which nobody here can tell',
    code: 'reference_not_owned',
    to: everywhere,
    models: all,
    cases: ['gemini/explicit-cache'],
  },
  {
    why: 'who asks for a screening relies on it',
    code: 'untranslatable',
    to: everywhere,
    models: all,
    cases: ['gemini/prompt-blocked'],
  },
  {
    why: 'chat takes documents as data, and nothing is fetched here',
    code: 'untranslatable',
    to: ['openai-chat'],
    models: all,
    cases: ['anthropic/document-url'],
  },
  {
    why: 'Messages take no schema that refers to itself',
    code: 'untranslatable',
    to: ['anthropic'],
    models: all,
    cases: ['gemini/json-schema-recursive'],
  },
  {
    why: 'the model sees no images and reads no documents',
    code: 'untranslatable',
    to: everywhere,
    models: ['o3-mini'],
    cases: [
      'openai-chat/error-400-image-url',
      'openai-chat/file-pdf-base64',
      'openai-chat/image-url-tool-response-t2',
      'openai-chat/length',
      'openai-chat/mixed-content-order-t2',
      'openai-responses/image-url',
      'openai-responses/tool-result-image-t2',
      'anthropic/document-url',
      'anthropic/image-url',
      'anthropic/stream-image-input',
      'anthropic/tool-result-image',
      'anthropic/vision-base64',
      'gemini/image-inline',
      'gemini/tool-result-image-gemini3-t2',
    ],
  },
  {
    why: 'the model does not support schemas',
    code: 'untranslatable',
    to: everywhere,
    models: ['claude-3-5-haiku-20241022'],
    cases: [
      'openai-chat/json-schema-output',
      'openai-chat/refusal',
      'openai-responses/json-schema',
      'gemini/json-responseSchema',
      'gemini/json-schema-native',
      'gemini/stream-json-schema-tools-t1',
      'gemini/stream-json-schema-tools-t2',
    ],
  },
  {
    why: 'the model does not support a schema with tools',
    code: 'untranslatable',
    to: everywhere,
    models: ['gemini-2.0-flash', 'gemini-2.5-pro'],
    cases: ['anthropic/json-schema-plus-tools-t1', 'anthropic/json-schema-plus-tools-t2'],
  },
  {
    why: 'the model does not support prefilled responses',
    code: 'untranslatable',
    to: ['gemini'],
    models: [
      'gemini-2.0-flash',
      'gemini-2.5-pro',
      'gemini-3-flash-preview',
      'gemini-3.8-flash',
      'gemini-4-argon',
    ],
    cases: ['anthropic/stream-prefill-stop'],
  },
]

function listedFor(name: string, to: Format, { model }: TranslationTarget): ListedRejection | undefined {
  return rejections.find(
    (row) =>
      row.cases.includes(name) &&
      (row.to.length === 0 || row.to.includes(to.name)) &&
      (row.models.length === 0 || row.models.includes(model)),
  )
}

const pairs = formats.flatMap((from) => othersThan(from).map((to) => [from, to] as const))

for (const [from, to] of pairs) {
  test(`requests from ${from.name} to ${to.name}: accepted by its reader and its checker, or rejected for a listed reason`, () => {
    for (const request of recordedRequests(from)) {
      for (const target of targetsOf(to)) checkRequest(from, to, request, target)
    }
  })
}

function checkRequest(from: Format, to: Format, request: RecordedRequest, target: TranslationTarget): void {
  const name = `${from.name}/${request.name}`
  const where = `${name} to ${target.model} in ${to.name}`
  const listed = listedFor(name, to, target)
  const outcome = sent(from, to, request, target)
  if (outcome.kind === 'rejected') {
    assert.equal(outcome.error.code, listed?.code, `${where}: ${outcome.error.message}`)
    assert.ok(outcome.error.pointer !== undefined && outcome.error.pointer !== '', `${where} names a field`)
    return
  }
  assert.equal(listed, undefined, `${where} is listed as rejected`)
  const again = sent(from, to, request, target)
  assert.ok(again.kind === 'sent' && again.text === outcome.text, `${where}: the same bytes each time`)
  assert.deepEqual(to.rules.brokenRequestRules(JSON.parse(outcome.text), target.capabilities), [], where)
  const facts = readBack(to, target, { text: outcome.text, stream: streamed(from, request) })
  assert.equal(facts.model, target.model, where)
  assert.equal(facts.stream, streamed(from, request), where)
  assert.equal(facts.canPassThrough, true, where)
}

function streamed(from: Format, { body, address }: RecordedRequest): boolean {
  return from.wire.extractRequest(body, limits, address).stream
}

function readBack(
  to: Format,
  target: TranslationTarget,
  { text, stream }: { text: string; stream: boolean },
) {
  return to.wire.extractRequest(bytesOf(text), limits, upstreamAddress(to, target, stream))
}

test('every listed case was recorded', () => {
  for (const from of formats) {
    const names = recordedRequests(from).map(({ name }) => `${from.name}/${name}`)
    if (names.length === 0) return
    const listed = rejections.flatMap(({ cases }) => cases).filter((name) => name.startsWith(`${from.name}/`))
    assert.deepEqual(
      listed.filter((name) => !names.includes(name)),
      [],
    )
  }
})

// The content.

/** Members whose strings are content for the model, in any format. */
const textFieldNames =
  /^(?:text|content|output|data|url|image_url|file_data|fileUri|name|description|system|instructions|rejection|input)$/
/** What is written differently elsewhere (schemas, input of calls), or is specific to its vendor. */
const otherwise =
  /^(?:parameters|input_schema|schema|response\w*Schema|parametersJsonSchema|response|args|metadata|citations|json_schema|format)$/
const makersOwn = /^(?:thinking|redacted_thinking|reasoning|server_tool_use|web_search_call|\w+_tool_result)$/

/** The whole content of a request, data URLs as their data. */
function textsOf(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') {
    const isSaid = textFieldNames.test(name) && value.trim() !== ''
    return isSaid ? [value.startsWith('data:') ? value.slice(value.indexOf(',') + 1) : value.trim()] : []
  }
  if (Array.isArray(value)) return value.flatMap((element) => textsOf(element, name))
  if (!isLoose(value) || makersOwn.test(String(value.type)) || value.thought === true) return []
  const isCall = value.type === 'tool_use'
  return Object.entries(value).flatMap(([member, inner]) =>
    otherwise.test(member) || (isCall && member === 'input') ? [] : textsOf(inner, member),
  )
}

function strings(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(strings)
  return isLoose(value) ? Object.values(value).flatMap(strings) : []
}

/** Treats both base64 alphabets as equal. */
const plain = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/')

test('no text and no media of a recorded request are lost', () => {
  for (const [from, to] of pairs) {
    for (const request of recordedRequests(from)) {
      const name = `${from.name}/${request.name}`
      const outcome = sent(from, to, request, sandboxTarget)
      if (outcome.kind === 'rejected') continue
      const written = plain(strings(JSON.parse(outcome.text)).join('\n'))
      const lost = textsOf(JSON.parse(textOf(request.body))).filter((text) => !written.includes(plain(text)))
      // Names of tools that the provider runs are reported as dropped.
      const areToolsDropped = outcome.adjusted.some(({ field }) => field.startsWith('tools['))
        ? lost.filter((text) => !/^[a-z_]+$/.test(text))
        : lost
      assert.deepEqual(
        areToolsDropped.map((one) => one.slice(0, 80)),
        [],
        `${name} to ${to.name}`,
      )
    }
  }
})

// Prompts that are continued.

const promptFields: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'messages',
  'openai-responses': 'input',
  anthropic: 'messages',
  gemini: 'contents',
}

/** A request's text up to the end of its last message: the next turn's request must begin with it. */
function promptOf({ name }: Format, text: string): string {
  const bytes = bytesOf(text)
  const end = readJson(bytes, limits, (json) => {
    const list = json.find([promptFields[name]])
    assert.ok(list !== -1, `a ${name} request has ${promptFields[name]}`)
    const last = json.kind(list) === 'array' ? json.children(list).at(-1) : list
    return json.end(last ?? list)
  })
  // Brackets are not part of the prompt: what follows may be another part of the same message.
  return textOf(bytes.subarray(0, end)).replace(/[\]}]+$/, '')
}

const modelsOwn = /"role":\s*"(?:assistant|model)"|"type":\s*"(?:function_call|custom_tool_call|reasoning)"/

/** The request as it was at each of its earlier turns, with every other byte unchanged. */
function earlier({ name }: Format, { body }: RecordedRequest): readonly Uint8Array[] {
  return readJson(body, limits, (json) => {
    const list = json.find([promptFields[name]])
    if (list === -1 || json.kind(list) !== 'array') return []
    const messages = json.children(list).map((message) => json.span(message))
    const isModels = messages.map((span) => modelsOwn.test(json.written(span)))
    const ends = messages.filter((_, index) => isModels[index] === false && isModels[index + 1] === true)
    const rest = body.subarray(json.end(list) - 1)
    return ends.map(({ end }) => Buffer.concat([body.subarray(0, end), rest]))
  })
}

for (const [from, to] of pairs) {
  test(`prompts from ${from.name} to ${to.name} only grow at their end`, () => {
    for (const request of recordedRequests(from)) {
      for (const target of targetsOf(to)) checkPrefixes(from, to, request, target)
    }
  })
}

/** Here a result of the model's own search declares tools, which other formats only support before the messages. */
const declaresLater: readonly string[] = ['openai-responses/cross-provider-from-gemini-t4']

function checkPrefixes(from: Format, to: Format, request: RecordedRequest, target: TranslationTarget): void {
  if (declaresLater.includes(`${from.name}/${request.name}`)) return
  const whole = sent(from, to, request, target)
  if (whole.kind === 'rejected') return
  for (const before of earlier(from, request)) {
    const outcome = sent(from, to, { ...request, body: before }, target)
    // What is rejected immediately was never sent: the chain begins later.
    if (outcome.kind === 'rejected') continue
    const prompt = promptOf(to, outcome.text)
    const prefix = promptOf(to, whole.text).slice(0, prompt.length)
    assert.equal(prefix, prompt, `${from.name}/${request.name} to ${target.model}`)
  }
}

test('each turn of a recorded conversation begins with the bytes of the previous one', () => {
  let chains = 0
  let recorded = 0
  for (const [from, to] of pairs) {
    const requests = recordedRequests(from)
    recorded += requests.length
    for (const request of requests) {
      const before = requests.find(({ name }) => name === previous(request.name))
      if (before === undefined || !continues(from, before, request)) continue
      const [first, second] = [before, request].map((one) => sent(from, to, one, sandboxTarget))
      if (first?.kind !== 'sent' || second?.kind !== 'sent') continue
      const prompt = promptOf(to, first.text)
      assert.equal(
        promptOf(to, second.text).slice(0, prompt.length),
        prompt,
        `${from.name}/${request.name} to ${to.name}`,
      )
      chains += 1
    }
  }
  assert.ok(chains >= 40 || recorded === 0, `${chains} chains`)
})

/** `x-t3` came after `x-t2`; `x-t2` after `x-t1`, or after `x`. */
function previous(name: string): string | undefined {
  const found = /^(.*)-t(\d)$/.exec(name)
  return found?.[1] === undefined ? undefined : `${found[1]}-t${Number(found[2]) - 1}`
}

/** Whether the recordings are one conversation: clients also change tools and settings between turns. */
function continues({ name }: Format, before: RecordedRequest, after: RecordedRequest): boolean {
  const [first, second] = [before, after].map(({ body }) => JSON.parse(textOf(body)) as Loose)
  const list = (body: Loose | undefined) => body?.[promptFields[name]]
  const [short, long] = [list(first), list(second)]
  if (!Array.isArray(short) || !Array.isArray(long)) return false
  const isSame = (field: string) => JSON.stringify(first?.[field]) === JSON.stringify(second?.[field])
  const begins = JSON.stringify(long.slice(0, short.length)) === JSON.stringify(short)
  return begins && ['model', 'tools', 'system', 'instructions', 'systemInstruction'].every(isSame)
}
