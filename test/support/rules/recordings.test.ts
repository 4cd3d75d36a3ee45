/** The rules of the formats find nothing in what vendors sent and accepted, and something where a recording breaks them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureCases } from '../fixtures.ts'
import * as messages from './anthropic.ts'
import * as gemini from './gemini.ts'
import * as chat from './openai-chat.ts'
import * as responses from './openai-responses.ts'

interface Rules {
  readonly brokenRequestRules: (body: unknown) => readonly string[]
  readonly brokenAnswerRules: (body: unknown) => readonly string[]
  readonly brokenStreamRules: (text: string) => readonly string[]
}

/** Recordings that violate rules, with all that they may violate: of hosts, or rejected when they were recorded. */
const known: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  anthropic: {
    'count-tokens': /./,
    'stream-error-mid-overloaded': /./,
    'stream-duplicate-message-start': /./,
  },
  'openai-chat': {
    'gemini-compat-tool-without-id-t1':
      /refusal: a text|usage: the total|\.tool_calls: each has an id|content: a text/,
    'gemini-compat-tool-without-id-t2': /refusal: a text|usage: the total/,
    'stream-anthropic-compat-tool': /counted from 0/,
    'stream-azure-model-router': /a chunk has an id|the same in every chunk|object: chat|has a choice/,
    'stream-error-mid': /./,
    length: /refusal: a text/,
  },
  'openai-responses': { 'stream-item-id-rotation': /./, 'previous-response-id-t2': /./ },
}

const formats: readonly [name: Parameters<typeof fixtureCases>[0], rules: Rules][] = [
  ['anthropic', messages],
  ['gemini', gemini],
  ['openai-chat', chat],
  ['openai-responses', responses],
]

for (const [format, rules] of formats) {
  test(`${format}: recorded requests, responses and streams violate only known rules`, () => {
    for (const { name, kind, status, request, response } of fixtureCases(format)) {
      const broken: string[] = []
      if (request !== undefined && status === 200)
        broken.push(...rules.brokenRequestRules(JSON.parse(request.toString())))
      if (kind === 'json' && status === 200)
        broken.push(...rules.brokenAnswerRules(JSON.parse(response.toString())))
      if (kind === 'stream') broken.push(...rules.brokenStreamRules(response.toString()))
      const exception = known[format]?.[name]
      assert.deepEqual(
        broken.filter((rule) => exception?.test(rule) !== true),
        [],
        name,
      )
      assert.ok(exception === undefined || broken.length > 0, `${name} breaks a rule no more`)
    }
  })
}
