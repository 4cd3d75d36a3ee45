/**
 * No member of a request passes unseen: each member that the vendors' libraries know, and one that they may know tomorrow
 * in the same place, is in the formats' tables, is rejected, or is noted as unknown. The same for betas.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type FixtureProvider, fixtureCases } from '../../test/support/fixtures.ts'
import { bodyWith, type SdkMember, sdkMembers } from '../../test/support/sdk-members.ts'
import { noUrlFields } from './client-routes.ts'
import { WireError } from './format.ts'
import type { ClientFormatName } from './format-names.ts'
import { clientFormats } from './formats.ts'
import { readBetas } from './request-fields.ts'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const openai = (name: string) => `${packages}/openai/resources/${name}.d.ts`
const anthropic = (name: string) => `${packages}/@anthropic-ai/sdk/resources/${name}.d.ts`
const limits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000 }

interface Library {
  readonly format: ClientFormatName
  readonly files: readonly string[]
  readonly type: string
  /** What a request needs besides. */
  readonly base: Readonly<Record<string, unknown>>
}

const messages = [{ role: 'user', content: 'Hello.' }]
const libraries: readonly Library[] = [
  {
    format: 'openai-chat',
    files: [openai('shared'), openai('chat/completions/completions')],
    type: 'ChatCompletionCreateParamsBase',
    base: { model: 'm', messages },
  },
  {
    format: 'openai-responses',
    files: [openai('shared'), openai('responses/responses')],
    type: 'ResponseCreateParamsBase',
    base: { model: 'm', input: 'Hello.' },
  },
  {
    format: 'openai-responses',
    files: [openai('beta/responses/responses')],
    type: 'ResponseCreateParamsBase',
    base: { model: 'm', input: 'Hello.' },
  },
  {
    format: 'anthropic',
    files: [anthropic('beta/messages/messages')],
    type: 'MessageCreateParamsBase',
    base: { model: 'm', max_tokens: 9, messages },
  },
  {
    format: 'openai-embeddings',
    files: [openai('embeddings')],
    type: 'EmbeddingCreateParams',
    base: { model: 'm', input: 'Hello.' },
  },
]
/** Betas of endpoints that are not here: their meaning in a Messages request is unknown. */
const ofOtherEndpoints = [
  'managed-agents-2026-04-01',
  'dreaming-2026-04-21',
  'ce-plugins-2026-09-01',
  'spend-limit-reads-2026-09-26',
  'telemetry-destinations-2026-08-11',
  'webhooks-2026-10-07',
  'admin-user-sign-out-2026-10-08',
  'analytics-usage-cost-2026-08-24',
  'experimental-claude-tag-2026-10-21',
  'message-batches-2024-09-24',
  'ce-user-management-2026-07-13',
  'ce-claude-code-managed-settings-2026-10-06',
  'efs-2026-10-01',
  'google-managed-data-controls-2026-09-01',
]
/** Members that are not in the body, but in its headers. */
const inHeaders = ['betas', 'user_profile_id']
/** Below these are names of the caller, or what the model produced. */
const opaque =
  /(^|\.)(schema|input_schema|arguments|actions?|function_call|tool_calls|outputs?|operation|outcome|results?|error|caller|annotations|citations|logprobs|from|to|tabs|state_changes|tool_references|content\.tools)(\[\])?\./

/** What the format's reader does not know in a body; null: it is rejected, or costs what a price says. */
function unknownIn({ format, base }: Library, body: object): readonly string[] | null {
  const bytes = Buffer.from(JSON.stringify({ ...base, ...body }))
  try {
    const { options, unknownMembers } = clientFormats[format].extractRequest(bytes, limits, noUrlFields)
    return options.length > 0 ? null : (unknownMembers ?? [])
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return null
  }
}

for (const library of libraries) {
  const name = `${library.format} (${library.type} of ${library.files.at(-1)!.replace(packages, '')})`
  const members = sdkMembers(library.files, library.type).filter(({ path }) => !inHeaders.includes(path))

  test(`${name}: each member of the library has been looked up`, () => {
    assert.ok(members.length > 4, 'the declarations were read')
    const unknown = members.filter((member) => (unknownIn(library, bodyWith(member, 'x')) ?? []).length > 0)
    assert.deepEqual(
      unknown.map(({ path }) => path),
      [],
    )
  })

  test(`${name}: a member of tomorrow next to each of them is noted, or its request rejected`, () => {
    const tomorrow = 'member_of_tomorrow'
    const places = new Map<string, SdkMember>()
    for (const member of members) {
      const path = [...member.path.split('.').slice(0, -1), tomorrow].join('.')
      if (!opaque.test(path)) places.set(path, { ...member, path, name: tomorrow })
    }
    const unseen = [...places.values()].filter((member) => {
      const unknown = unknownIn(library, bodyWith(member, 'x'))
      return unknown !== null && !unknown.includes(member.path)
    })
    assert.deepEqual(
      unseen.map(({ path }) => path),
      [],
    )
  })
}

test('each beta of the library is known, priced, or noted', () => {
  const text = readFileSync(anthropic('beta/beta'), 'utf8')
  const type = /type AnthropicBeta = ([^;]+);/.exec(text)?.[1] ?? ''
  const names = [...type.matchAll(/'([^']+)'/g)].map(([, name]) => name!)
  assert.ok(names.length > 20)
  const { betas } = clientFormats.anthropic
  const unknown = names.flatMap((name) => readBetas(betas, { 'anthropic-beta': name }).unknown)
  assert.deepEqual(
    unknown,
    ofOtherEndpoints.map((name) => `anthropic-beta: ${name}`),
  )
})

const recorded: Readonly<Record<FixtureProvider, ClientFormatName>> = {
  anthropic: 'anthropic',
  gemini: 'gemini',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
}

test('recorded requests have nothing unknown', () => {
  for (const [provider, format] of Object.entries(recorded)) {
    for (const { name, request } of fixtureCases(provider as FixtureProvider)) {
      if (request === undefined) continue
      const address = { ...noUrlFields, ...(format === 'gemini' ? { model: 'm', stream: false } : {}) }
      try {
        const { unknownMembers } = clientFormats[format].extractRequest(request, limits, address)
        assert.deepEqual(unknownMembers, [], `${provider} ${name}`)
      } catch (error) {
        if (!(error instanceof WireError)) throw error
      }
    }
  }
})
