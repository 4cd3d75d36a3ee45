/** The cost is written into the usage object, digit for digit, and no other byte changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientFormatName } from './format-names.ts'
import { clientFormats } from './formats.ts'
import { withCost, withCostInEvents } from './usage-cost.ts'

type Case = readonly [name: string, format: ClientFormatName, before: string, after: string]
const written = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString()

const answers: readonly Case[] = [
  [
    'behind the last member, with its spaces',
    'openai-chat',
    '{ "id": "x",\n  "usage": { "prompt_tokens": 1, "big": 12345678901234567890 },\n "z": 1e2 }\n',
    '{ "id": "x",\n  "usage": { "prompt_tokens": 1, "big": 12345678901234567890 ,"cost":0.000054399},\n "z": 1e2 }\n',
  ],
  ['alone', 'anthropic', '{"usage":{}}', '{"usage":{"cost":0.000054399}}'],
  [
    "in place of a host's own",
    'openai-responses',
    '{"usage":{"cost":"0.1","n":1}}',
    '{"usage":{"cost":0.000054399,"n":1}}',
  ],
  ["not in another format's place", 'gemini', '{"usage":{"a":1}}', '{"usage":{"a":1}}'],
  ["Google's", 'gemini', '{"usageMetadata":{"a":"é"}}', '{"usageMetadata":{"a":"é","cost":0.000054399}}'],
  ['where usage is null', 'openai-chat', '{"usage":null}', '{"usage":null}'],
  ['where usage is a list', 'openai-embeddings', '{"usage":[]}', '{"usage":[]}'],
  ['in what is not JSON', 'openai-chat', '{"usage":{', '{"usage":{'],
  ['deeper than is read', 'openai-chat', `{"usage":${'['.repeat(600)}`, `{"usage":${'['.repeat(600)}`],
]
test('the fee for a request on an own key says that the rest is paid elsewhere', () => {
  const fee = { cost: '0.01', isOwnKey: true }
  for (const [before, after] of [
    ['{"usage":{}}', '{"usage":{"cost":0.01,"is_byok":true}}'],
    ['{"usage":{"is_byok":false,"n":1}}', '{"usage":{"is_byok":true,"n":1,"cost":0.01}}'],
    ['{"usage":{"is_byok":false,"cost":3}}', '{"usage":{"is_byok":true,"cost":0.01}}'],
  ] as const)
    assert.equal(written(withCost(Buffer.from(before), { answer: ['usage'], event: ['usage'] }, fee)), after)
})

for (const [name, format, before, after] of answers) {
  test(`the cost of an answer: ${name}`, () => {
    assert.equal(
      written(withCost(Buffer.from(before), clientFormats[format].costFields, { cost: '0.000054399' })),
      after,
    )
  })
}

const streams: readonly Case[] = [
  [
    'in the last event with usage',
    'openai-chat',
    'data: {"choices":[1],"usage":null}\n\ndata: {"usage":{"a":1}}\n\ndata: {"usage":{"a":2}}\r\n\r\n: x\n\ndata: [DONE]\n\n',
    'data: {"choices":[1],"usage":null}\n\ndata: {"usage":{"a":1}}\n\ndata: {"usage":{"a":2,"cost":5.00}}\r\n\r\n: x\n\ndata: [DONE]\n\n',
  ],
  [
    'in the response that the last event holds',
    'openai-responses',
    'event: response.completed\ndata: {"response":{"usage":{"a":1}},"usage":{}}\n\n',
    'event: response.completed\ndata: {"response":{"usage":{"a":1,"cost":5.00}},"usage":{}}\n\n',
  ],
  ['without its blank line', 'gemini', 'data: {"usageMetadata":{}}', 'data: {"usageMetadata":{"cost":5.00}}'],
  [
    'not on several data lines',
    'anthropic',
    'data: {"usage":\ndata: {}}\n\n',
    'data: {"usage":\ndata: {}}\n\n',
  ],
  ['nowhere', 'anthropic', 'event: message_stop\ndata: {}\n\n', 'event: message_stop\ndata: {}\n\n'],
  ['in no event', 'anthropic', '', ''],
]
for (const [name, format, before, after] of streams) {
  test(`the cost of a stream: ${name}`, () => {
    assert.equal(
      written(withCostInEvents(Buffer.from(before), clientFormats[format].costFields, { cost: '5.00' })),
      after,
    )
  })
}
