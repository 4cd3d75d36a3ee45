/** The rows of hosts as connectors: the URL of each, its credential, and what its errors mean. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { customHostOf } from '../../../contract/custom-hosts.ts'
import { hostVariables } from '../../../contract/hosts.ts'
import { listNames } from '../../catalog/update/list-names-table.ts'
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import { readProblem } from '../../wire/upstream-problem.ts'
import { clouds } from '../clouds/clouds-table.ts'
import type { OutgoingRequest } from '../connector.ts'
import { connectorOf } from '../registry.ts'
import { customConnector } from './custom-connector.ts'
import { hosts } from './hosts-table.ts'

function outgoing(format: UpstreamFormatName, more: Partial<OutgoingRequest> = {}): OutgoingRequest {
  return {
    format,
    operation: format === 'openai-embeddings' ? 'embed' : 'generate',
    model: 'm',
    basePath: '',
    credential: 'credential-of-the-host',
    streamed: false,
    query: '',
    headers: { 'user-agent': 'Anthropic/1', 'anthropic-beta': 'b', 'x-openai-api-key': 'theirs' },
    requestId: 'req_1',
    hops: null,
    ...more,
  }
}

/** Paths from the hosts' own documentation. */
const addresses: readonly (readonly [provider: string, format: UpstreamFormatName, path: string])[] = [
  ['alibaba', 'openai-chat', '/compatible-mode/v1/chat/completions'],
  ['alibaba', 'anthropic', '/apps/anthropic/v1/messages'],
  ['cohere', 'openai-chat', '/compatibility/v1/chat/completions'],
  ['deepinfra', 'openai-chat', '/v1/openai/chat/completions'],
  ['deepinfra', 'anthropic', '/anthropic/v1/messages'],
  ['deepseek', 'openai-chat', '/chat/completions'],
  ['deepseek', 'openai-responses', '/responses'],
  ['deepseek', 'anthropic', '/anthropic/v1/messages'],
  ['fireworks', 'openai-chat', '/inference/v1/chat/completions'],
  ['fireworks', 'openai-responses', '/inference/v1/responses'],
  ['fireworks', 'anthropic', '/inference/v1/messages'],
  ['groq', 'openai-chat', '/openai/v1/chat/completions'],
  ['minimax', 'anthropic', '/anthropic/v1/messages'],
  ['mistral', 'openai-embeddings', '/v1/embeddings'],
  ['moonshot', 'anthropic', '/anthropic/v1/messages'],
  ['novita', 'openai-chat', '/openai/v1/chat/completions'],
  ['openrouter', 'openai-chat', '/api/v1/chat/completions'],
  ['openrouter', 'openai-responses', '/api/v1/responses'],
  ['openrouter', 'anthropic', '/api/v1/messages'],
  ['perplexity', 'openai-responses', '/v1/responses'],
  ['zai', 'openai-chat', '/api/paas/v4/chat/completions'],
  ['zai', 'anthropic', '/api/anthropic/v1/messages'],
]

test("a caller's query does not reach a host, where it could choose a version", () => {
  for (const [provider, format, path] of addresses) {
    const query = '?beta=true&api-version=preview'
    assert.equal(connectorOf(provider).prepare(outgoing(format, { query })).path, path, provider)
  }
})

test('each format of a host is asked at the path that the host has for it', () => {
  for (const [provider, format, path] of addresses) {
    const connector = connectorOf(provider)
    assert.equal(connector.prepare(outgoing(format)).path, path, provider)
    assert.ok(connector.formats.includes(format), provider)
  }
})

test('the address of one of its formats is the host, and any other path is as the operator wrote it', () => {
  const { prepare } = connectorOf('deepinfra')
  const of = (format: UpstreamFormatName, basePath: string) => prepare(outgoing(format, { basePath })).path
  assert.equal(of('anthropic', '/v1/openai'), '/anthropic/v1/messages')
  assert.equal(of('openai-chat', '/anthropic/v1'), '/v1/openai/chat/completions')
  assert.equal(of('openai-chat', '/mirror/v1'), '/mirror/v1/chat/completions')
  assert.equal(of('anthropic', '/mirror'), '/mirror/v1/messages')
})

test('the credential goes in one header, and no header of the caller goes', () => {
  for (const [provider, row] of Object.entries(hosts)) {
    for (const format of Object.keys(row.prefixes) as UpstreamFormatName[]) {
      const { headers } = connectorOf(provider).prepare(outgoing(format))
      const values = headers.filter((_, index) => index % 2 === 1).join(' ')
      assert.equal(values.split('credential-of-the-host').length, 2, `${provider} ${format}`)
      assert.doesNotMatch(values, /Anthropic|theirs/, provider)
      assert.ok(!headers.includes('anthropic-beta'), provider)
      assert.equal(headers[headers.indexOf('user-agent') + 1], 'tollgate', provider)
    }
  }
  const { headers } = connectorOf('deepseek').prepare(outgoing('anthropic'))
  assert.equal(headers[headers.indexOf('x-api-key') + 1], 'credential-of-the-host')
})

/** `operator`: our bill or credential, whose words the caller never reads; `later`: another try may do; `caller`: as it is. */
const rejections: readonly (readonly [
  provider: string,
  status: number,
  body: unknown,
  meant: 'operator' | 'later' | 'caller' | 'context',
  headers?: Readonly<Record<string, string>>,
])[] = [
  ['deepseek', 402, { error: { message: 'Insufficient Balance' } }, 'operator'],
  ['openrouter', 402, { error: { code: 402, message: 'Insufficient credits' } }, 'operator'],
  ['openrouter', 402, { error: { code: 402, message: 'in flight' } }, 'later', { 'retry-after': '2' }],
  ['openrouter', 403, { error: { code: 403, message: 'Your input was flagged' } }, 'caller'],
  ['mistral', 402, { message: 'payment required' }, 'operator'],
  ['zai', 429, { error: { code: '1113', message: 'balance exhausted' } }, 'operator'],
  ['zai', 429, { error: { code: '1305', message: 'overloaded' } }, 'later'],
  ['moonshot', 429, { error: { type: 'exceeded_current_quota_error', message: 'quota' } }, 'operator'],
  ['moonshot', 429, { error: { type: 'engine_overloaded_error', message: 'busy' } }, 'later'],
  [
    'moonshot',
    400,
    { error: { message: 'Invalid request: Your request exceeded model token limit: 8192' } },
    'context',
  ],
  ['alibaba', 400, { error: { code: 'Arrearage', message: 'overdue' } }, 'operator'],
  ['alibaba', 429, { error: { code: 'insufficient_quota', message: 'rate' } }, 'later'],
  ['perplexity', 401, { error: { message: 'no credit' } }, 'operator'],
  ['minimax', 200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 'operator'],
  ['minimax', 200, { base_resp: { status_code: 1002, status_msg: 'rate limit' } }, 'later'],
  ['siliconflow', 403, { code: 30001, message: 'balance' }, 'operator'],
  ['fireworks', 412, { error: 'suspended' }, 'operator'],
  ['fireworks', 503, { fault: { faultstring: 'overloaded' } }, 'later'],
  ['groq', 498, { error: { message: 'flex capacity', type: 'x', code: 'capacity_exceeded' } }, 'later'],
  ['groq', 424, { error: { message: 'mcp' } }, 'later'],
  [
    'groq',
    400,
    { error: { message: 'Please reduce the length', code: 'context_length_exceeded' } },
    'context',
  ],
  ['together', 524, { message: 'timeout' }, 'later'],
  // Groq's libraries read the text of the failed call.
  [
    'groq',
    400,
    { error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: 'x' } },
    'caller',
  ],
  ['together', 529, { error: 'overloaded' }, 'later'],
  ['xai', 400, { code: 'x', error: 'Incorrect API key provided' }, 'operator'],
  ['xai', 403, { code: 'x', error: 'no credits' }, 'operator'],
  ['cohere', 498, { message: 'blocked input' }, 'caller'],
  [
    'mistral',
    422,
    { detail: [{ loc: ['body', 'x'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }] },
    'caller',
  ],
]

test('what a rejection means is the meaning that its host gives it', () => {
  for (const [provider, status, body, meant, headers = {}] of rejections) {
    const problem = readProblem(Buffer.from(JSON.stringify(body)))
    // An error inside a 200 is classified under the status that its format gives it.
    const failure = connectorOf(provider).classify(
      status === 200 ? 500 : status,
      new Map(Object.entries(headers)),
      problem,
    )
    const found = failure.operator
      ? 'operator'
      : failure.retry === 'elsewhere'
        ? 'later'
        : failure.code === 'context_too_long'
          ? 'context'
          : 'caller'
    assert.equal(found, meant, `${provider} ${status} ${JSON.stringify(body)}`)
    if (failure.operator) assert.ok(!failure.message.includes(problem.message), provider)
    assert.ok(failure.status === null || ![401, 402, 403].includes(failure.status), provider)
  }
})

test('every host has its own variable and a consistent row', () => {
  const variables = Object.values(hostVariables).map(({ variable }) => variable)
  assert.equal(new Set(variables).size, variables.length)
  for (const [provider, row] of Object.entries(hosts)) {
    assert.match(row.origin, /^https:\/\/[a-z0-9.-]+$/, provider)
    assert.ok(Object.keys(row.prefixes).length > 0, provider)
    for (const prefix of Object.values(row.prefixes)) assert.match(prefix, /^(?:\/[a-z0-9-]+)*$/, provider)
    for (const { drops = [], renames = {}, adds = {}, words = {} } of Object.values(row.requests ?? {})) {
      const changed = [...Object.keys(renames), ...Object.keys(adds), ...Object.keys(words)]
      assert.deepEqual(
        drops.filter((name) => changed.includes(name)),
        [],
        provider,
      )
    }
  }
})

test('every host is on the page of providers and has its names in price lists', () => {
  const page = readFileSync(new URL('../../../docs/operate/providers.md', import.meta.url), 'utf8')
  for (const [name, { variable }] of Object.entries(hostVariables)) {
    assert.ok(
      page.includes(`| \`${name}\` | \`${variable}\` |`),
      `docs/operate/providers.md has no row of ${name}`,
    )
  }
  for (const name of [...Object.keys(hostVariables), ...Object.keys(clouds)]) {
    assert.ok(Object.hasOwn(listNames, name), `list-names-table.ts has no row of ${name}`)
  }
})

test('a version of Messages goes where it is known, and not where the body has one', () => {
  const of = (provider: string, connector = connectorOf(provider)) => {
    const { headers } = connector.prepare({
      ...{
        format: 'anthropic',
        operation: 'generate',
        model: 'm',
        basePath: '',
        credential: 'k',
        streamed: false,
      },
      ...{ query: '', headers: { 'anthropic-version': '2026-10-21' }, requestId: 'r', hops: null },
    })
    const at = headers.indexOf('anthropic-version')
    return at < 0 ? null : headers[at + 1]
  }
  const gateway = customConnector('other', customHostOf('tollgate', {}))
  const own = customConnector('own', customHostOf('custom', { formats: ['anthropic'] }))
  assert.deepEqual(
    [of('anthropic'), of('deepseek'), of('openrouter'), of('vertex'), of('other', gateway), of('own', own)],
    ['2026-10-21', '2023-06-01', '2023-06-01', null, '2026-10-21', '2023-06-01'],
  )
})
