/**
 * The tables that say what becomes of each field on its way to another format, executed: every row against
 * every format, and the page that is made of them.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compatibilityPage } from '../../scripts/compatibility-page.ts'
import { sandboxCapabilities } from '../../src/providers/sandbox-capabilities.ts'
import type { Capabilities } from '../../src/wire/capabilities.ts'
import { type ConversationFormat, WireError } from '../../src/wire/codec.ts'
import { codecs } from '../../src/wire/dialects.ts'
import { jsonText } from '../../src/wire/json-text.ts'
import type { PolicyRow } from '../../src/wire/policy.ts'
import { type TranslatedRequest, translateRequest } from '../../src/wire/translate.ts'

const formats = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const

/** A small request in each format; an example is laid over it. */
const bases: Readonly<Record<ConversationFormat, Readonly<Record<string, unknown>>>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] },
  'openai-responses': { model: 'm', input: [{ role: 'user', content: 'Hello.' }] },
  anthropic: { model: 'm', max_tokens: 5_000, messages: [{ role: 'user', content: 'Hello.' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
const thinking: Readonly<Record<ConversationFormat, Capabilities['thinking']>> = {
  'openai-chat': 'effort',
  'openai-responses': 'effort',
  anthropic: 'adaptive',
  gemini: 'level',
}

/** A model that takes everything: what a row says holds for those that take its field. */
function generous(format: ConversationFormat): Capabilities {
  return { ...sandboxCapabilities, thinking: thinking[format], efforts }
}

function translated(from: ConversationFormat, toName: ConversationFormat, body: unknown): TranslatedRequest {
  return translateRequest(new TextEncoder().encode(JSON.stringify(body)), {
    from: codecs[from],
    to: codecs[toName],
    toName,
    target: { model: 'm', capabilities: generous(toName) },
    limits: { depthMax: 64, valuesMax: 100_000, integerMax: 100_000_000 },
    address: { model: 'm', stream: false },
  })
}

function exampleOf(from: ConversationFormat, row: PolicyRow): Record<string, unknown> {
  return { ...bases[from], ...(JSON.parse(jsonText(row.example)) as Record<string, unknown>) }
}

/** The same request without a field that stands at the top; null for nested ones. */
function withoutField(body: Readonly<Record<string, unknown>>, field: string): unknown {
  if (!/^\w+$/.test(field) || !Object.hasOwn(body, field)) return null
  const { [field]: _left, ...rest } = body
  return rest
}

for (const from of formats) {
  const { policy } = codecs[from]

  test(`${from}: no field has two rows`, () => {
    const fields = policy.map(({ field }) => field)
    assert.equal(new Set(fields).size, fields.length)
  })

  for (const to of formats.filter((format) => format !== from)) {
    test(`${from} → ${to}: every row is true`, () => {
      for (const row of policy) checkRow(from, to, row)
    })
  }
}

function checkRow(from: ConversationFormat, to: ConversationFormat, row: PolicyRow): void {
  const what = `${from} → ${to}: ${row.field}`
  const fate = row.to[to] ?? 'dropped'
  const body = exampleOf(from, row)
  if (fate === 'refused') {
    assert.throws(() => translated(from, to, body), WireError, what)
    return
  }
  const { text, adjusted } = translated(from, to, body)
  const isSaid = adjusted.some(({ kind, why }) => kind === 'dropped' && why === row.note)
  assert.equal(isSaid, fate === 'dropped', `${what} is ${fate}: ${JSON.stringify(adjusted)}`)
  const bare = withoutField(body, row.field)
  if (bare === null || isRequired(from, row.field)) return
  const same = translated(from, to, bare).text === text
  assert.equal(
    same,
    fate === 'dropped',
    `${what} is ${fate}, and the body is ${same ? 'the same' : 'another one'} without it`,
  )
}

/** Without it the request is none. */
function isRequired(from: ConversationFormat, field: string): boolean {
  return field in bases[from]
}

test('a field that nobody knows is dropped, and said', () => {
  for (const from of formats) {
    for (const to of formats.filter((format) => format !== from)) {
      const { text, adjusted } = translated(from, to, { ...bases[from], never_heard_of: { a: [1] } })
      assert.equal(text, translated(from, to, bases[from]).text, `${from} → ${to}`)
      assert.ok(
        adjusted.some(({ kind, field }) => kind === 'dropped' && field === 'never_heard_of'),
        `${from} → ${to}`,
      )
    }
  }
})

test('the page is what the tables say', () => {
  const page = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8')
  assert.equal(page, compatibilityPage(), 'run: node scripts/run.js scripts/compatibility-page.ts')
})
