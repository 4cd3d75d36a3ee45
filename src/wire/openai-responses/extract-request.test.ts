/** Passed-through Responses requests: the facts that money needs, what is rejected, and splices that change nothing else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadLimits, WireError, type WireErrorCode } from '../dialect.ts'
import { applyEdits } from '../json/json.ts'
import { extractRequest, patchRequest } from './extract-request.ts'
import { openaiResponses } from './index.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000 }
const input = 'Hello.'
const bytes = (body: unknown) => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
const read = (more: object) => extractRequest(bytes({ model: 'm', input, ...more }), limits)
const message = (...content: object[]) => ({ input: [{ role: 'user', content }] })
const cut = (body: Uint8Array, { start, end }: { start: number; end: number }) =>
  Buffer.from(body.subarray(start, end)).toString()

test('the facts are what the body says', () => {
  const body = bytes({
    model: 'gpt-x',
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'One.' },
      { type: 'message', role: 'user', content: 'Two.' },
      { role: 'user', content: 'Three.' },
    ],
    stream: true,
    max_output_tokens: 512,
    reasoning: { effort: 'high', summary: 'auto' },
    tools: [{ type: 'function', name: 'f', parameters: {} }],
  })
  const facts = extractRequest(body, limits)
  assert.equal(facts.model, 'gpt-x')
  assert.equal(facts.stream, true)
  assert.equal(facts.outputLimit, 512)
  assert.equal(facts.effort, 'high')
  assert.equal(facts.functionTools, true)
  assert.equal(facts.writtenAs, 'openai-responses')
  assert.deepEqual(facts.options, [])
  assert.deepEqual(facts.serverTools, [])
  assert.match(cut(body, facts.conversationSpan), /Two/)
})

test('a text alone is the conversation', () => {
  const body = bytes({ model: 'm', input })
  assert.equal(cut(body, extractRequest(body, limits).conversationSpan), 'Hello.')
})

test('media are found in every position', () => {
  const data = 'data:image/png;base64,AAAA'
  const body = bytes({
    model: 'm',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: data },
          { type: 'input_image', image_url: 'https://example.com/a.png' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
          { type: 'input_file', file_url: 'https://example.com/a.pdf' },
          { type: 'input_audio', input_audio: { data: 'CCCC', format: 'wav' } },
        ],
      },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: data }] },
      {
        type: 'computer_call_output',
        call_id: 'c',
        output: { type: 'computer_screenshot', image_url: data },
      },
      { type: 'image_generation_call', id: 'ig_1', result: 'DDDD', output_format: 'webp' },
    ],
  })
  const found = extractRequest(body, limits).media.map(
    ({ kind, mediaType, span }) => `${kind} ${mediaType} ${span === null ? '-' : cut(body, span)}`,
  )
  assert.deepEqual(found, [
    'image image/png AAAA',
    'image  -',
    'document application/pdf BBBB',
    'document  -',
    'audio audio/wav CCCC',
    'image image/png AAAA',
    'image image/png AAAA',
    'image image/webp DDDD',
  ])
})

test('objects stored upstream are reported by ID and position', () => {
  const facts = read({
    previous_response_id: 'resp_1',
    input: [
      { type: 'item_reference', id: 'msg_1' },
      { id: 'msg_2' },
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] },
      { id: 'rs_2', type: 'reasoning', summary: [], content: [], encrypted_content: null },
      { id: 'rs_3', type: 'reasoning', summary: [], encrypted_content: 'opaque' },
      { id: 'rs_4', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] },
      { type: 'reasoning', summary: [] },
      { id: 'msg_3', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
      { id: 'msg_4', role: 'user', content: 'x' },
      { id: 'fc_1', type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    ],
  })
  assert.deepEqual(facts.references, [
    { id: 'msg_1', kind: 'item', pointer: 'input[0].id' },
    { id: 'msg_2', kind: 'item', pointer: 'input[1].id' },
    { id: 'rs_1', kind: 'reasoning', pointer: 'input[2].id' },
    { id: 'rs_2', kind: 'reasoning', pointer: 'input[3].id' },
    { id: 'resp_1', kind: 'response', pointer: 'previous_response_id' },
  ])
  assert.deepEqual(read({ previous_response_id: null }).references, [])
})

test('whether the answer is to be polled for is read', () => {
  assert.equal(read({ background: true, store: true }).background, true)
  assert.equal(read({ background: false, store: false, stream: true }).background, false)
  assert.equal(read({}).background, false)
})

const refusals: [name: string, more: object, code: WireErrorCode, pointer: string][] = [
  ['no model', { model: null }, 'missing_field', 'model'],
  ['no input', { input: null }, 'missing_field', 'input'],
  ['chat', { input: null, messages: [] }, 'missing_field', 'input'],
  [
    'chat, and a reference',
    { input: null, messages: [], previous_response_id: 'r' },
    'missing_field',
    'input',
  ],
  ['a wrong input', { input: 5 }, 'invalid_value', 'input'],
  ['a wrong limit', { max_output_tokens: 1.5 }, 'invalid_value', 'max_output_tokens'],
  ['a background response that is not kept', { background: true, store: false }, 'invalid_value', 'store'],
  ['a background response as a stream', { background: true, stream: true }, 'invalid_value', 'stream'],
  ['a background that is not a boolean', { background: 'yes' }, 'invalid_value', 'background'],
  ['an earlier response by a number', { previous_response_id: 1 }, 'invalid_value', 'previous_response_id'],
  ['a conversation', { conversation: { id: 'conv_1' } }, 'reference_not_owned', 'conversation'],
  ['a kept prompt', { prompt: { id: 'p' } }, 'reference_not_owned', 'prompt'],
  [
    'an item that is named twice',
    { input: [{ type: 'item_reference', id: 'msg_1' }, { id: 'msg_1' }] },
    'invalid_value',
    'input[1].id',
  ],
  [
    'an image by its name',
    { input: [{ type: 'image_generation_call', id: 'ig_1' }] },
    'reference_not_owned',
    'input[0].id',
  ],
  [
    'video',
    message({ type: 'input_video', input_video: {} }),
    'unpriced_option',
    'input[0].content[0].input_video',
  ],
  [
    'a kept container',
    { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    'reference_not_owned',
    'tools[0].container',
  ],
  [
    'a kept store',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'reference_not_owned',
    'tools[0].vector_store_ids',
  ],
  [
    'a comparison',
    { prompt_cache_options: { comparison_response_id: 'resp_1' } },
    'reference_not_owned',
    'prompt_cache_options.comparison_response_id',
  ],
  ['agents', { multi_agent: { enabled: true } }, 'unpriced_option', 'multi_agent'],
  ...[
    { type: 'shell', environment: { type: 'container_auto', skills: [{ skill_id: 's' }] } },
    {
      type: 'code_interpreter',
      container: { type: 'auto', skills: [{ type: 'skill_reference', skill_id: 's', version: 'latest' }] },
    },
  ].map((tool): (typeof refusals)[number] => [
    `a kept skill of ${tool.type}`,
    { tools: [tool] },
    'reference_not_owned',
    `tools[0].${'container' in tool ? 'container' : 'environment'}.skills[0].skill_id`,
  ]),
  ['two models', { Model: 'other' }, 'ambiguous_field', 'Model'],
]
for (const [name, more, code, pointer] of refusals) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => read(more),
      (error) => {
        assert.ok(error instanceof WireError)
        assert.deepEqual([error.code, error.pointer], [code, pointer])
        return true
      },
    )
  })
}

const options: [name: string, more: object, options: readonly string[]][] = [
  [
    'defaults',
    { service_tier: 'auto', background: false, context_management: [], reasoning: { mode: 'standard' } },
    [],
  ],
  [
    'what agents send',
    {
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      client_metadata: { a: 'b' },
    },
    [],
  ],
  ['a tier', { service_tier: 'flex' }, ['service_tier:flex']],
  ['compaction', { context_management: [{ type: 'compaction' }] }, ['context_management:compaction']],
  ['compaction now', { input: [{ type: 'compaction_trigger' }] }, ['context_management:compaction']],
  ['the pro mode', { reasoning: { mode: 'pro' } }, ['reasoning_mode:pro']],
  ['a long cache', { prompt_cache_options: { ttl: '12h' } }, ['prompt_cache_ttl:12h']],
  [
    'a long mark',
    message({ type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }),
    ['prompt_cache_ttl:12h'],
  ],
  ['a later answer', { background_options: { completion_window: '8h' } }, ['completion_window:8h']],
  ['an answer soon', { background_options: { completion_window: 'soonest', continuation_id: 'a' } }, []],
  ['plugins', { plugins: [{ id: 'web' }] }, ['plugins']],
]
for (const [name, more, names] of options) {
  test(`what changes the price: ${name}`, () => {
    assert.deepEqual(
      read(more).options.map((option) => option.name),
      names,
    )
  })
}

const tools: [name: string, tools: object[], own: boolean, meters: readonly string[]][] = [
  ['a function', [{ type: 'function', name: 'f' }], true, []],
  ['a namespace', [{ type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'c' }] }], true, []],
  [
    "the caller's own shells",
    [
      { type: 'local_shell' },
      { type: 'shell' },
      { type: 'shell', environment: { type: 'local' } },
      { type: 'apply_patch' },
    ],
    true,
    [],
  ],
  [
    'a shell at the provider',
    [{ type: 'shell', environment: { type: 'container_auto' } }],
    false,
    ['shell -'],
  ],
  ['search', [{ type: 'web_search' }], false, ['web_search capped']],
  ['dated search', [{ type: 'web_search_preview_2025_03_11' }], false, ['web_search capped']],
  ['code', [{ type: 'code_interpreter', container: { type: 'auto' } }], false, ['code_interpreter capped']],
  ['other servers', [{ type: 'mcp', server_url: 'https://example.com' }], false, ['mcp -']],
  ['images', [{ type: 'image_generation' }], false, ['image_generation -']],
  ['what nobody knows', [{ type: 'teleport' }], false, ['teleport -']],
]
for (const [name, declared, own, meters] of tools) {
  test(`tools: ${name}`, () => {
    const added = { input: [{ type: 'additional_tools', role: 'developer', tools: declared }] }
    for (const facts of [read({ tools: declared }), read(added)]) {
      assert.equal(facts.functionTools, own)
      assert.deepEqual(
        facts.serverTools.map(({ meter, capPatch }) => `${meter} ${capPatch === null ? '-' : 'capped'}`),
        meters,
      )
    }
  })
}

const search = { tools: [{ type: 'web_search' }, { type: 'web_search_preview' }] }
const splices: [name: string, more: object, changed: object][] = [
  ['a limit that is missing', {}, { model: 'other', max_output_tokens: 64 }],
  ['a limit that is null', { max_output_tokens: null }, { model: 'other', max_output_tokens: 64 }],
  ['a higher limit', { max_output_tokens: 99 }, { model: 'other', max_output_tokens: 64 }],
  ['a lower limit', { max_output_tokens: 20 }, { model: 'other' }],
  ['searches without a cap', search, { model: 'other', max_output_tokens: 64, max_tool_calls: 2 }],
  [
    'searches with a higher cap',
    { ...search, max_tool_calls: 9 },
    { model: 'other', max_output_tokens: 64, max_tool_calls: 2 },
  ],
  ['searches with a lower cap', { ...search, max_tool_calls: 1 }, { model: 'other', max_output_tokens: 64 }],
  ['a cap without searches', { max_tool_calls: 9 }, { model: 'other', max_output_tokens: 64 }],
]
for (const [name, more, changed] of splices) {
  test(`a splice of ${name}`, () => {
    const body = bytes({ model: 'm', input, ...more })
    const facts = extractRequest(body, limits)
    const edits = patchRequest(facts, { model: 'other', outputLimit: 64, serverToolUsesMax: 2 })
    const spliced = JSON.parse(Buffer.concat(applyEdits(body, edits)).toString()) as object
    assert.deepEqual(spliced, { model: 'm', input, ...more, ...changed })
    assert.deepEqual(patchRequest(facts, {}), [])
  })
}

test('tools share one cap, which each of them tells', () => {
  const { serverTools } = read({ ...search, max_tool_calls: 3 })
  assert.deepEqual(
    serverTools.map(({ usesMax }) => usesMax),
    [3, 3],
  )
  assert.equal(openaiResponses.usageEvent(read({})), 'relay')
})
