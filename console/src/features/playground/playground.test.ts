/** How the playground handles a conversation and a response: requests, parts, calls, code. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { EventLines, failureOf, hear, parsed } from './chunks.ts'
import { codeExamples } from './code.ts'
import {
  type AnswerTurn,
  askedLast,
  nothingSaid,
  openCalls,
  requestBody,
  type Said,
  type Takes,
  type Turn,
  toolMistake,
  usualSettings,
} from './conversation.ts'
import { messageParts } from './text-and-code.ts'

const takes: Takes = { tools: true, effort: true, limitField: 'max_tokens' }
const imageUrl = `data:image/png;base64,${Buffer.from('image').toString('base64')}`
const user: Turn = { kind: 'user', id: 1, text: 'Hello', images: [] }

function answer(part: Partial<AnswerTurn> = {}): AnswerTurn {
  const said = { ...nothingSaid, text: 'Hi' }
  return {
    kind: 'answer',
    id: 2,
    model: 'm',
    said,
    state: 'complete',
    request: null,
    problem: null,
    results: {},
    ...part,
  }
}

const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Paris"}' }

test('what is offered as code is the request that was answered last, or the one that is to come', () => {
  const called = answer({ said: { ...nothingSaid, calls: [call] } })
  assert.deepEqual(askedLast([user, answer()]), [user])
  assert.deepEqual(askedLast([user, answer({ state: 'streaming' })]), [user])
  assert.deepEqual(askedLast([user, called]), [user, called], 'with the results of its calls')
  assert.deepEqual(askedLast([user]), [user])
  assert.deepEqual(askedLast([]), [])
})

test('a request is made of what was said, with what the model takes', () => {
  const tool = { id: 1, name: 'weather', description: ' The weather ', parameters: '{"type":"object"}' }
  const settings = {
    system: 'Be brief.',
    temperature: '0.5',
    outputLimit: '100',
    effort: 'low',
    tools: [tool],
  } as const
  const body = requestBody('m', [user, answer()], settings, takes)
  assert.deepEqual(body, {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'weather', description: 'The weather', parameters: { type: 'object' } },
      },
    ],
    temperature: 0.5,
    max_tokens: 100,
    reasoning_effort: 'low',
  })
  const plain = requestBody('m', [user], settings, {
    tools: false,
    effort: false,
    limitField: 'max_completion_tokens',
  })
  assert.deepEqual(Object.keys(plain), ['model', 'messages', 'temperature', 'max_completion_tokens'])
  assert.deepEqual(Object.keys(requestBody('m', [user], usualSettings, takes)), ['model', 'messages'])
})

test('images precede the text, and calls are answered in order', () => {
  const withPicture: Turn = { ...user, images: [{ name: 'p.png', url: imageUrl }] }
  const sealed = [{ type: 'reasoning.text', signature: 's' }]
  const called = answer({ said: { ...nothingSaid, calls: [call], sealed }, results: { call_1: 'sunny' } })
  assert.deepEqual(requestBody('m', [withPicture, called], usualSettings, takes).messages, [
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: imageUrl } },
        { type: 'text', text: 'Hello' },
      ],
    },
    {
      role: 'assistant',
      content: null,
      reasoning_details: sealed,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'weather', arguments: call.arguments } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
  ])
})

test('a response that was interrupted before its first content is not sent, nor is an incomplete call', () => {
  const failed = answer({ said: nothingSaid, state: 'failed' })
  const stopped = answer({ said: { ...nothingSaid, text: 'Hal', calls: [call] }, state: 'stopped' })
  assert.deepEqual(requestBody('m', [user, failed, stopped], usualSettings, takes).messages, [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hal' },
  ])
  assert.deepEqual(openCalls([user, stopped]), [])
  assert.deepEqual(openCalls([user, answer({ said: { ...nothingSaid, calls: [call] } })]), [call])
})

for (const [name, parameters, field] of [
  ['weather', '{"type":"object"}', undefined],
  ['two words', '{}', 'name'],
  ['', '{}', 'name'],
  ['weather', '{', 'parameters'],
  ['weather', '[]', 'parameters'],
  ['weather', 'null', 'parameters'],
] as const) {
  test(`a tool ${JSON.stringify(name)} with ${parameters} is ${field === undefined ? 'whole' : `wrong in its ${field}`}`, () => {
    assert.equal(toolMistake({ name, parameters })?.field, field)
    const tool = { id: 1, name, description: '', parameters }
    const { tools } = requestBody('m', [user], { ...usualSettings, tools: [tool] }, takes)
    assert.equal(tools !== undefined, field === undefined)
  })
}

const stream = [
  { choices: [{ delta: { role: 'assistant', content: '' } }] },
  { choices: [{ delta: { reasoning_content: 'hm' } }] },
  { choices: [{ delta: { reasoning_details: [{ signature: 's' }] } }] },
  { choices: [{ delta: { content: 'Grüße ' } }] },
  { choices: [{ delta: { content: '🦉' } }] },
  { choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] } }] },
  { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"x":' } }] } }] },
  {
    choices: [
      {
        delta: {
          tool_calls: [
            { index: 0, function: { arguments: '1}' } },
            { index: 1, id: 'b', function: { name: 'g', arguments: '{}' } },
          ],
        },
      },
    ],
  },
  {
    choices: [
      {
        delta: {
          images: [
            { image_url: { url: imageUrl } },
            { image_url: { url: 'https://elsewhere.example/x.png' } },
          ],
        },
      },
    ],
  },
  { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
  { choices: [], usage: { prompt_tokens: 1 } },
]
const said: Said = {
  text: 'Grüße 🦉',
  thoughts: 'hm',
  sealed: [{ signature: 's' }],
  calls: [
    { id: 'a', name: 'f', arguments: '{"x":1}' },
    { id: 'b', name: 'g', arguments: '{}' },
  ],
  images: [imageUrl],
  finish: 'tool_calls',
}

for (const size of [1, 7, 1_000_000]) {
  test(`a stream in pieces of ${size} says the same`, () => {
    const text = `: sign of life\n\n${stream.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('')}data: [DONE]\n\n`
    const lines = new EventLines()
    let now = nothingSaid
    let ended = false
    for (let at = 0; at < text.length; at += size) {
      for (const payload of lines.push(text.slice(at, at + size))) {
        const heard = hear(now, payload)
        assert.notEqual(heard.kind, 'failed')
        if (heard.kind === 'said') now = heard.said
        else ended = true
      }
    }
    assert.deepEqual(now, said)
    assert.ok(ended)
  })
}

test('an error in place of an event ends the answer with the words of the server', () => {
  const payload = JSON.stringify({ error: { message: 'No money', code: 'insufficient_balance' } })
  assert.deepEqual(hear(nothingSaid, payload), {
    kind: 'failed',
    problem: { status: 0, code: 'insufficient_balance', message: 'No money' },
  })
  const own = {
    error: { message: 'Slow', code: 'rate_limit_exceeded', details: { code: 'token_rate_limited' } },
  }
  assert.equal(failureOf(own, 429)?.code, 'token_rate_limited')
  assert.equal(failureOf(parsed('<html>'), 502), undefined)
})

for (const [name, text, expected] of [
  ['words', 'one\ntwo', [['text', 'one\ntwo']]],
  [
    'a block',
    'a\n```ts\nx\n\ny\n```\nb',
    [
      ['text', 'a'],
      ['code', 'x\n\ny'],
      ['text', 'b'],
    ],
  ],
  [
    'a block that is still open',
    'a\n```\nx',
    [
      ['text', 'a'],
      ['code', 'x'],
    ],
  ],
  [
    'a fence inside of a block',
    '```md\n```js\n```\nb',
    [
      ['code', '```js'],
      ['text', 'b'],
    ],
  ],
  ['HTML', '<script>alert(1)</script>', [['text', '<script>alert(1)</script>']]],
  ['nothing', '', []],
] as const) {
  test(`${name}: text stays text and code is framed`, () => {
    assert.deepEqual(
      messageParts(text).map(({ kind, text: inside }) => [kind, inside]),
      expected,
    )
  })
}

test('a hundred thousand fences are read in a moment', () => {
  assert.ok(messageParts('```\n'.repeat(100_000)).length > 0)
})

test('the code examples can be read by their languages, and name images in place of their bytes', () => {
  const turn: Turn = {
    ...user,
    text: `it's "hostile" \\ \`$(id)\`\n{}`,
    images: [{ name: 'p', url: imageUrl }],
  }
  const tool = {
    id: 1,
    name: 'weather',
    description: "it's",
    parameters: '{"type":"object","nullable":true,"x":null}',
  }
  const settings = { ...usualSettings, system: "a 'quoted' word", tools: [tool], temperature: '1' }
  const examples = codeExamples('http://127.0.0.1:1', requestBody('m', [turn], settings, takes))
  const readers = {
    curl: ['sh', ['-n']],
    typescript: [process.execPath, ['--check', '--input-type=module', '-']],
    python: ['python3', ['-c', 'import ast,sys; ast.parse(sys.stdin.read())']],
  } as const
  for (const { id, text } of examples) {
    assert.ok(text.includes('data:image/png;base64,…'))
    assert.ok(!text.includes(imageUrl))
    const [program, words] = readers[id]
    const { status, stderr, error } = spawnSync(program, words, { input: text, encoding: 'utf8' })
    if (error === undefined) assert.equal(status, 0, `${stderr}\n${text}`)
  }
})
