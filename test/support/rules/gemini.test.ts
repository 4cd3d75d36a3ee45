/** Tests the checker of the Gemini format: every rule is violated once, and real requests and responses violate none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sandboxCapabilities } from '../../../src/providers/sandbox.ts'
import type { Capabilities } from '../../../src/wire/translation/capabilities.ts'
import { fixtureCases } from '../fixtures.ts'
import { brokenAnswerRules, brokenRequestRules, brokenStreamRules } from './gemini.ts'

const user = (...parts: object[]) => ({ role: 'user', parts })
const model = (...parts: object[]) => ({ role: 'model', parts })
const said = user({ text: 'hi' })
const call = (name = 'f', more: object = {}) => ({ functionCall: { name, args: {}, ...more } })
const reply = (name = 'f', more: object = {}) => ({ functionResponse: { name, response: {}, ...more } })
const tools = [{ functionDeclarations: [{ name: 'f' }] }]
const strict: Capabilities = {
  ...sandboxCapabilities,
  temperatureMax: 1,
  topK: false,
  penalties: false,
  seed: false,
  stopsMax: 2,
  logprobs: false,
  thinking: 'budget',
  thinkingOff: null,
  budget: { min: 128, max: 1_000 },
  signedCalls: true,
  prefill: false,
  schemaOutput: false,
  schemaWithTools: false,
}
const signed = { thoughtSignature: 'c2ln' }

const good: [name: string, body: object, capabilities?: Capabilities][] = [
  ['one text', { contents: [said] }],
  ['a call and its response', { contents: [said, model(call()), user(reply())], tools }],
  [
    'two calls of one name, told apart by ids',
    {
      contents: [
        said,
        model(call('f', { id: 'a' }), call('f', { id: 'b' })),
        user(reply('f', { id: 'a' }), reply('f', { id: 'b' })),
      ],
    },
  ],
  [
    'both spellings',
    { contents: [said], generation_config: { max_output_tokens: 4, stop_sequences: ['x'] } },
  ],
  ['a signed step', { contents: [said, model({ ...call(), ...signed }), user(reply())] }, strict],
  [
    'an old step without signature',
    { contents: [said, model(call()), user(reply()), model({ text: 'a' }), said] },
    strict,
  ],
]

test('valid bodies violate no rule', () => {
  for (const [name, body, capabilities] of good)
    assert.deepEqual(brokenRequestRules(body, capabilities), [], name)
})

const config = (settings: object) => ({ contents: [said], generationConfig: settings })
const requests: [rule: RegExp, body: unknown, capabilities?: Capabilities][] = [
  [/not an object/, []],
  [/unknown name messages/, { contents: [said], messages: [] }],
  [/contents: none/, {}],
  [/contents: none/, { contents: [] }],
  [/contents\[0\]: no object/, { contents: ['hi'] }],
  [/the role assistant/, { contents: [{ ...said, role: 'assistant' }] }],
  [/no parts/, { contents: [{ role: 'user' }] }],
  [/no parts/, { contents: [user()] }],
  [/a part that is not an object/, { contents: [{ role: 'user', parts: ['x'] }] }],
  [/unknown name type/, { contents: [user({ type: 'text', text: 'x' })] }],
  [/a part with nothing/, { contents: [user({})] }],
  [/a part with text and functionCall/, { contents: [said, model({ text: 'x', ...call() }), user(reply())] }],
  [/text that is not a string/, { contents: [user({ text: 5 })] }],
  [/functionCall of the user/, { contents: [user(call()), user(reply())] }],
  [/text of the user/, { contents: [user({ text: 'x', thought: true })] }],
  [/a function response of the model/, { contents: [said, model(call()), model(reply())] }],
  [/not base64/, { contents: [said, model({ text: 'x', thoughtSignature: 'a b' }), said] }],
  [
    /a mark of the gateway's in a signature/,
    { contents: [model({ text: 'x', thoughtSignature: 'dGcxLmFi' })] },
  ],
  [/a mark of the gateway's in an id/, { contents: [model(call('f', { id: 'a_tg1_Wx' })), user(reply())] }],
  [/the id/, { contents: [model(call('f', { id: 'x'.repeat(65) })), user(reply())] }],
  [/the name 1f/, { contents: [model(call('1f')), user(reply('1f'))] }],
  [/a call that is not an object/, { contents: [model({ functionCall: 1 })] }],
  [/args that are not an object/, { contents: [model(call('f', { args: '{}' })), user(reply())] }],
  [/a response that is not an object/, { contents: [model(call()), user({ functionResponse: 1 })] }],
  [/a response without its object/, { contents: [model(call()), user(reply('f', { response: 'x' }))] }],
  [/parts of a response that are not a list/, { contents: [model(call()), user(reply('f', { parts: {} }))] }],
  [
    /a part of a response that is not an object/,
    { contents: [model(call()), user(reply('f', { parts: [1] }))] },
  ],
  [/without media/, { contents: [model(call()), user(reply('f', { parts: [{ text: 'x' }] }))] }],
  [/calls without an answer/, { contents: [said, model(call())] }],
  [/0 responses to 1 calls/, { contents: [model(call()), said] }],
  [/1 responses to 2 calls/, { contents: [model(call(), call()), user(reply())] }],
  [/the response 0 is not of f/, { contents: [model(call('f'), call('g')), user(reply('g'), reply('f'))] }],
  [/the id of response 0/, { contents: [model(call('f', { id: 'a' })), user(reply('f', { id: 'b' }))] }],
  [/a function response without a call/, { contents: [said, user(reply())] }],
  [
    /beside something else/,
    {
      contents: [
        said,
        model({ ...call(), ...signed }),
        user(reply(), { inlineData: { mimeType: 'image/png', data: 'QUJD' } }),
      ],
    },
    strict,
  ],
  [/no signature/, { contents: [said, model(call()), user(reply())] }, strict],
  [/end with the model/, { contents: [said, model({ text: 'x' })] }, strict],
  [/media of the type/, { contents: [user({ inlineData: { data: 'QUJD' } })] }],
  [
    /media that are not base64/,
    { contents: [user({ inlineData: { mimeType: 'image/png', data: 'data:x' } })] },
  ],
  [/media that are not an object/, { contents: [user({ inlineData: 'x' })] }],
  [/a file without an address/, { contents: [user({ fileData: {} })] }],
  [/systemInstruction: no parts/, { contents: [said], systemInstruction: 'x' }],
  [/a part without text/, { contents: [said], systemInstruction: { parts: [{ text: '' }] } }],
  [/tools: no list/, { contents: [said], tools: [] }],
  [/no tool/, { contents: [said], tools: [{}] }],
  [/no function declarations/, { contents: [said], tools: [{ functionDeclarations: [] }] }],
  [/a function that is not an object/, { contents: [said], tools: [{ functionDeclarations: [1] }] }],
  [/the name a b/, { contents: [said], tools: [{ functionDeclarations: [{ name: 'a b' }] }] }],
  [/two functions f/, { contents: [said], tools: [...tools, ...tools] }],
  [
    /too many functions/,
    {
      contents: [said],
      tools: [{ functionDeclarations: Array.from({ length: 513 }, (_, at) => ({ name: `f${at}` })) }],
    },
  ],
  [
    /the description/,
    { contents: [said], tools: [{ functionDeclarations: [{ name: 'f', description: 1 }] }] },
  ],
  [
    /two schemas of f/,
    {
      contents: [said],
      tools: [
        { functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT' }, parametersJsonSchema: {} }] },
      ],
    },
  ],
  [
    /a schema of f that is not an object/,
    { contents: [said], tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: true }] }] },
  ],
  [
    /parameters of f that are not an object/,
    { contents: [said], tools: [{ functionDeclarations: [{ name: 'f', parameters: {} }] }] },
  ],
  [/toolConfig: no object/, { contents: [said], tools, toolConfig: 1 }],
  [/functionCallingConfig: no object/, { contents: [said], tools, toolConfig: { functionCallingConfig: 1 } }],
  [/mode: SOME/, { contents: [said], tools, toolConfig: { functionCallingConfig: { mode: 'SOME' } } }],
  [
    /mode ANY without functions/,
    { contents: [said], toolConfig: { functionCallingConfig: { mode: 'any' } } },
  ],
  [
    /allowedFunctionNames: no list/,
    {
      contents: [said],
      tools,
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: 'f' } },
    },
  ],
  [
    /allowedFunctionNames with mode AUTO/,
    {
      contents: [said],
      tools,
      toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } },
    },
  ],
  [
    /g is not declared/,
    {
      contents: [said],
      tools,
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } },
    },
  ],
  [/generationConfig: no object/, { contents: [said], generationConfig: [] }],
  [/unknown name maxTokens/, config({ maxTokens: 5 })],
  [/temperature: 3/, config({ temperature: 3 })],
  [/temperature: 1.5/, config({ temperature: 1.5 }), strict],
  [/topP: 2/, config({ topP: 2 })],
  [/topK: 0/, config({ topK: 0 })],
  [/topK: refused/, config({ topK: 4 }), strict],
  [/maxOutputTokens: 0/, config({ maxOutputTokens: 0 })],
  [/candidateCount: 1.5/, config({ candidateCount: 1.5 })],
  [/presencePenalty: 3/, config({ presencePenalty: 3 })],
  [/frequencyPenalty: refused/, config({ frequencyPenalty: 1 }), strict],
  [/seed: 3000000000/, config({ seed: 3_000_000_000 })],
  [/seed: refused/, config({ seed: 3 }), strict],
  [/responseLogprobs: refused/, config({ responseLogprobs: true }), strict],
  [/logprobs without responseLogprobs/, config({ logprobs: 3 })],
  [/logprobs: 21/, config({ responseLogprobs: true, logprobs: 21 })],
  [/stopSequences: no list/, config({ stopSequences: 'x' })],
  [/stopSequences: 6/, config({ stopSequences: [...'abcdef'] })],
  [/stopSequences: 3/, config({ stopSequences: [...'abc'] }), strict],
  [/stopSequences: an empty one/, config({ stopSequences: [''] })],
  [
    /two schemas of the answer/,
    config({ responseMimeType: 'application/json', responseSchema: {}, responseJsonSchema: {} }),
  ],
  [/without responseMimeType/, config({ responseJsonSchema: {} })],
  [
    /responseJsonSchema: refused/,
    config({ responseMimeType: 'application/json', responseJsonSchema: {} }),
    strict,
  ],
  [
    /a schema beside tools/,
    { ...config({ responseMimeType: 'application/json', responseJsonSchema: {} }), tools },
    strict,
  ],
  [/thinkingConfig: no object/, config({ thinkingConfig: 1 })],
  [/budget beside a level/, config({ thinkingConfig: { thinkingBudget: 5, thinkingLevel: 'LOW' } })],
  [/thinkingLevel: much/, config({ thinkingConfig: { thinkingLevel: 'much' } })],
  [/thinkingBudget: -2/, config({ thinkingConfig: { thinkingBudget: -2 } })],
  [/thinkingBudget: 1001/, config({ thinkingConfig: { thinkingBudget: 1001 } }), strict],
  [/cannot be/, config({ thinkingConfig: { thinkingBudget: 0 } }), strict],
  [/the model has no LOW/, config({ thinkingConfig: { thinkingLevel: 'LOW' } }), strict],
  [/without one/, config({ thinkingConfig: { thinkingBudget: 5 } }), { ...strict, budget: null }],
  [/does not think/, config({ thinkingConfig: {} }), { ...strict, thinking: 'none' }],
  [/temperature: refused/, config({ temperature: 1 }), { ...strict, sampling: 'none' }],
  [/tools beside cachedContent/, { contents: [said], cachedContent: 'cachedContents/x', tools }],
]

test('each rule for requests can be violated', () => {
  for (const [rule, body, capabilities] of requests) {
    const broken = brokenRequestRules(body, capabilities)
    assert.ok(
      broken.some((one) => rule.test(one)),
      `${rule} is not among ${JSON.stringify(broken)} for ${JSON.stringify(body).slice(0, 200)}`,
    )
  }
})

const head = { modelVersion: 'm', responseId: 'r' }
const answer = (candidate: object, more: object = {}) => ({ candidates: [candidate], ...head, ...more })
const done = { content: model({ text: 'x' }), finishReason: 'STOP', index: 0 }
const answers: [rule: RegExp, body: unknown][] = [
  [/not an object/, 'x'],
  [/neither candidates nor a blocked prompt/, head],
  [/no list of objects/, { candidates: {}, ...head }],
  [/without finishReason/, answer({ ...done, finishReason: null })],
  [/the finishReason stop/, answer({ ...done, finishReason: 'stop' })],
  [/the index/, answer({ ...done, index: 'a' })],
  [/content that is not an object/, answer({ ...done, content: 'x' })],
  [/the role assistant/, answer({ ...done, content: { role: 'assistant', parts: [] } })],
  [/parts that are not a list/, answer({ ...done, content: { role: 'model', parts: {} } })],
  [/a part that is not an object/, answer({ ...done, content: { role: 'model', parts: [1] } })],
  [/a part with nothing/, answer({ ...done, content: model({ thought: true }) })],
  [/text that is not a string/, answer({ ...done, content: model({ text: 1 }) })],
  [/a call without its name/, answer({ ...done, content: model({ functionCall: {} }) })],
  [/args that are not an object/, answer({ ...done, content: model(call('f', { args: '' })) })],
  [/not base64/, answer({ ...done, content: model({ text: '', thoughtSignature: '…' }) })],
  [/media of the type/, answer({ ...done, content: model({ inlineData: { data: 'QUJD' } }) })],
  [/modelVersion: missing/, { candidates: [done], responseId: 'r' }],
  [/responseId: missing/, { candidates: [done], modelVersion: 'm' }],
  [/usageMetadata: no object/, answer(done, { usageMetadata: 1 })],
  [/promptTokenCount: -1/, answer(done, { usageMetadata: { promptTokenCount: -1 } })],
  [/2 tokens and a total of 3/, answer(done, { usageMetadata: { promptTokenCount: 2, totalTokenCount: 3 } })],
  [
    /more cached than sent/,
    answer(done, { usageMetadata: { promptTokenCount: 2, cachedContentTokenCount: 3 } }),
  ],
  [/error: no object/, { error: 'x' }],
  [/no HTTP status/, { error: { code: 'x', message: 'm', status: 'INTERNAL' } }],
  [/error: no message/, { error: { code: 500, message: '', status: 'INTERNAL' } }],
  [/error: no status/, { error: { code: 500, message: 'm', status: 'internal' } }],
  [/details without their types/, { error: { code: 500, message: 'm', status: 'INTERNAL', details: [{}] } }],
]

test('each rule for responses can be violated', () => {
  assert.deepEqual(brokenAnswerRules(answer(done)), [])
  for (const [rule, body] of answers) {
    const broken = brokenAnswerRules(body)
    assert.ok(
      broken.some((one) => rule.test(one)),
      `${rule} is not among ${JSON.stringify(broken)}`,
    )
  }
})

const event = (value: unknown) => `data: ${JSON.stringify(value)}\r\n\r\n`
const piece = answer({ content: model({ text: 'x' }), index: 0 })
const failure = { error: { code: 503, message: 'm', status: 'UNAVAILABLE' } }
const streams: [rule: RegExp, sse: string][] = [
  [/no finishReason/, event(piece)],
  [/no finishReason/, ''],
  [/no blank line/, event(answer(done)).trimEnd()],
  [/not one line of data/, `event: x\r\n${event(answer(done))}`],
  [/not one line of data/, `data: [DONE]\n\n${event(answer(done))}`],
  [/goes on after its end/, event(answer(done)) + event(piece)],
  [/after an error/, event(failure) + event(answer(done))],
  [/more than one responseId/, event(piece) + event({ ...answer(done), responseId: 's' })],
  [/the finishReason end/, event(answer({ ...done, finishReason: 'end' }))],
]

test('each rule for streams can be violated', () => {
  for (const good of [
    event(piece) + event(answer(done)),
    `: keepalive\n\n${event(piece)}${event(failure)}`,
    event({ ...head, promptFeedback: { blockReason: 'SAFETY' } }),
  ]) {
    assert.deepEqual(brokenStreamRules(good), [])
  }
  for (const [rule, sse] of streams) {
    const broken = brokenStreamRules(sse)
    assert.ok(
      broken.some((one) => rule.test(one)),
      `${rule} is not among ${JSON.stringify(broken)}`,
    )
  }
})

test('recordings violate no rule', () => {
  for (const { name, kind, request, response } of fixtureCases('gemini')) {
    if (request !== undefined) assert.deepEqual(brokenRequestRules(JSON.parse(request.toString())), [], name)
    const broken =
      kind === 'stream'
        ? brokenStreamRules(response.toString())
        : brokenAnswerRules(JSON.parse(response.toString()))
    assert.deepEqual(broken, [], name)
  }
})
