/**
 * Every row of every policy table, executed: its example is merged into a small request; a dropped or rejected field
 * must make no difference to the body or end in an error, a carried or adapted field must make
 * one. And the compatibility page matches the tables.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compatibilityPage, compatibilityPath } from '../../scripts/compatibility-page.ts'
import { sandboxCapabilities } from '../../src/providers/sandbox.ts'
import { bedrockConverseCodec } from '../../src/wire/bedrock-converse/index.ts'
import type { ConversationFormat, TargetFormat } from '../../src/wire/format-names.ts'
import type { TranslationTarget } from '../../src/wire/translation/neutral.ts'
import type { PolicyRow } from '../../src/wire/translation/policy.ts'
import { isLoose, type Loose } from '../support/answer-gist.ts'
import {
  bytesOf,
  type Format,
  formats,
  type Outcome,
  othersThan,
  sent,
  type TargetOf,
} from '../support/translation.ts'

const bases: Readonly<Record<ConversationFormat, Loose>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'Hello.' }] },
  'openai-responses': { model: 'm', input: [{ role: 'user', content: 'Hello.' }] },
  anthropic: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hello.' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }] },
}

/** The formats that requests in this one are translated to. */
const targetsOf = (from: Format): readonly TargetOf[] => [
  ...othersThan(from),
  { name: 'bedrock-converse', codec: bedrockConverseCodec },
]

/** A model that accepts everything in the format, so that no outcome depends on the model. */
function able(format: TargetFormat): TranslationTarget {
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
  const thinking = ({ anthropic: 'adaptive', gemini: 'level' } as const)[format as string] ?? 'effort'
  return { model: 'able', capabilities: { ...sandboxCapabilities, thinking, efforts } }
}

function outcomeOf(from: Format, to: TargetOf, body: unknown): Outcome {
  const address = { model: from.name === 'gemini' ? 'm' : null, stream: false }
  return sent(from, to, { name: 'example', body: bytesOf(JSON.stringify(body)), address }, able(to.name))
}

/** One step of a field's name: a member, and of an array possibly only some elements. */
interface Step {
  readonly name: string
  readonly isMeant: ((element: unknown) => boolean) | null
}

/** `a.b[].c`, `tools[type=shell]`, `include[message.logprobs]`. */
function stepsOf(field: string): readonly Step[] {
  return [...field.matchAll(/([^.[\]]+)(?:\[([^\]]*)\])?/g)].map(([, name = '', which = '']) => {
    const [key, value] = which.split('=')
    if (which === '') return { name, isMeant: null }
    return {
      name,
      isMeant: (element) =>
        value === undefined ? element === key : isLoose(element) && element[key ?? ''] === value,
    }
  })
}

/** The value without the field. */
function without(value: unknown, steps: readonly Step[]): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (Array.isArray(value)) return value.map((element) => without(element, steps))
  if (!isLoose(value) || !(step.name in value)) return value
  const { [step.name]: member, ...others } = value
  const { isMeant } = step
  if (isMeant !== null && Array.isArray(member)) {
    return { ...others, [step.name]: member.filter((element) => !isMeant(element)) }
  }
  return rest.length === 0 ? others : { ...value, [step.name]: without(member, rest) }
}

/** Rows whose example does not show their outcome, with the reason. */
const unshown: Readonly<Record<string, string>> = {
  'openai-responses reasoning.summary': 'beside an effort thoughts are shown in any case',
  'openai-responses reasoning.generate_summary': 'beside an effort thoughts are shown in any case',
}

/** Rows whose example Converse rejects where the request is written, with the reason. */
const rejectedAsWritten: readonly (readonly [field: RegExp, reason: RegExp])[] = [
  [
    /^(?:response_format|text\.format|output_(?:config\.)?format|generationConfig\.response.*)$/,
    /has no schemas/,
  ],
  [/^input\[\]\.content\[\]\.detail$/, /must be sent in base64/],
]

function isRejectedAsWritten(to: TargetOf, { field }: PolicyRow, outcome: Outcome): boolean {
  if (to.name !== 'bedrock-converse' || outcome.kind !== 'rejected') return false
  const { message } = outcome.error
  return rejectedAsWritten.some(([name, reason]) => name.test(field) && reason.test(message))
}

function checkRow(from: Format, to: TargetOf, row: PolicyRow): void {
  const fate = row.to[to.name]
  const where = `${from.name} ${row.field} to ${to.name}: ${fate}`
  const base = bases[from.name]
  const whole = { ...base, ...row.example }
  const bare = without(whole, stepsOf(row.field))
  assert.notDeepEqual(bare, whole, `${where}: the example has the field`)
  const withField = outcomeOf(from, to, whole)
  if (fate === 'rejected') {
    assert.equal(withField.kind, 'rejected', where)
    return
  }
  if (isRejectedAsWritten(to, row, withField)) return
  assert.ok(
    withField.kind === 'sent',
    `${where}: ${withField.kind === 'rejected' ? withField.error.message : ''}`,
  )
  const missing = outcomeOf(from, to, bare)
  // Where the format requires the field, the comparison is with the small request.
  const other = missing.kind === 'sent' ? missing : outcomeOf(from, to, base)
  assert.ok(other.kind === 'sent', where)
  if (fate === 'dropped') {
    assert.equal(withField.text, other.text, where)
    assert.ok(
      withField.adjusted.some(({ kind }) => kind === 'dropped'),
      `${where}: it is said`,
    )
    return
  }
  const isShown = unshown[`${from.name} ${row.field}`] === undefined || fate !== 'adapted'
  // What the upstream does not support is done to the response.
  const isEmulated = withField.emulation !== undefined && other.emulation === undefined
  assert.equal(withField.text !== other.text || isEmulated, isShown, where)
}

/** Longer text is not a note in a table. */
const noteWordsMax = 14

for (const from of formats) {
  test(`the policy of ${from.name} is what happens`, () => {
    for (const row of from.codec.policy) {
      for (const to of targetsOf(from)) checkRow(from, to, row)
    }
  })

  test(`the policy of ${from.name} has one row per field, with an outcome in every other format and a short note`, () => {
    const fields = from.codec.policy.map(({ field }) => field)
    assert.equal(new Set(fields).size, fields.length)
    for (const { field, to, note } of from.codec.policy) {
      assert.deepEqual(
        targetsOf(from).filter(({ name }) => to[name] === undefined),
        [],
        field,
      )
      assert.ok(note !== '' && note.split(' ').length <= noteWordsMax, `${field}: ${note}`)
    }
  })
}

test('the compatibility page matches the tables', () => {
  const written = readFileSync(compatibilityPath, 'utf8')
  assert.equal(
    written,
    compatibilityPage(),
    'write it anew: node scripts/run.js scripts/compatibility-page.ts',
  )
})
