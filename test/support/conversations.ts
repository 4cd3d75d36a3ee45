/**
 * Shared by tests of whole conversations: an agent sends requests through a gateway, and what reached the upstream is
 * checked against the rules of its format, the previous request, and what its vendor encrypted.
 */
import assert from 'node:assert/strict'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { readJson } from '../../src/wire/json/json.ts'
import type { Capabilities } from '../../src/wire/translation/capabilities.ts'
import {
  anthropicNames,
  geminiNames,
  openaiNames,
  targetName,
} from '../../src/wire/translation/tool-names.ts'
import type { Agent, Said } from './agents.ts'
import { clientOf, type Json } from './format-clients.ts'
import type { RelayedRequest } from './relay-upstream.ts'
import * as messagesRules from './rules/anthropic.ts'
import * as geminiRules from './rules/gemini.ts'
import * as chatRules from './rules/openai-chat.ts'
import * as responsesRules from './rules/openai-responses.ts'

const rules = {
  'openai-chat': chatRules,
  'openai-responses': responsesRules,
  anthropic: messagesRules,
  gemini: geminiRules,
} as const

/** Short names of formats, as in the sandbox's model names. */
export const shortNames = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  anthropic: 'messages',
  gemini: 'gemini',
} as const

export const formats = Object.keys(shortNames) as readonly ConversationFormat[]

export const providers = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
} as const

/** A model and its upstream format. */
export interface Reached {
  readonly model: string
  readonly format: ConversationFormat
}

export interface Asking {
  readonly origin: string
  readonly key: string
  readonly stream: boolean
}

/** Sends as the agent's library does; the response must follow the rules of its format where the gateway wrote it. */
export async function answered(agent: Agent, { model, format }: Reached, asking: Asking): Promise<Said> {
  const { path, headers, body } = agent.prompt(model, asking.stream)
  const { keyHeader } = clientOf(agent.format)
  const response = await fetch(asking.origin + path, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      [keyHeader]: keyHeader === 'authorization' ? `Bearer ${asking.key}` : asking.key,
    },
    body,
  })
  const answer = await response.text()
  assert.equal(response.status, 200, `${answer}\n${body}`)
  if (format !== agent.format) {
    const { brokenAnswerRules, brokenStreamRules } = rules[agent.format]
    const broken = asking.stream ? brokenStreamRules(answer) : brokenAnswerRules(JSON.parse(answer))
    assert.deepEqual(broken, [], answer)
  }
  return agent.take(answer, asking.stream)
}

const nameRules = {
  'openai-chat': openaiNames,
  'openai-responses': openaiNames,
  anthropic: anthropicNames,
  gemini: geminiNames,
} as const

/** The name of the agent's tool upstream. */
export function nameUpstream(agent: Agent, { format }: Reached, name: string): string {
  return format === agent.format ? name : targetName(nameRules[format], name, null)
}

const marks = /_tg1_|tg1\.|dGcxL/

/** Rules that an upstream body breaks; a body that the agent wrote is only checked for our carriers. */
export function broken(
  { format, body }: RelayedRequest,
  agent: Agent,
  capabilities?: Capabilities,
): readonly string[] {
  const ours = marks.test(body) ? ['a mark of ours goes upstream'] : []
  if (format === agent.format) return ours
  return [...rules[format].brokenRequestRules(JSON.parse(body), capabilities), ...ours]
}

const conversationMember: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'messages',
  'openai-responses': 'input',
  anthropic: 'messages',
  gemini: 'contents',
}

/** The body up to the end of the messages, without the closing bracket. */
export function promptOf({ format, body }: Pick<RelayedRequest, 'format' | 'body'>): string {
  const bytes = Buffer.from(body)
  const limits = { depthMax: 64, valuesMax: 1_000_000 }
  const end = readJson(bytes, limits, (json) => json.end(json.find([conversationMember[format]])))
  return bytes.subarray(0, end - 1).toString('utf8')
}

/** Each request of a model starts with all messages of the one before. */
export function assertGrows(requests: readonly RelayedRequest[]): void {
  const last = new Map<string, string>()
  for (const request of requests) {
    const name = `${request.model} in ${request.format}`
    const prompt = promptOf(request)
    const before = last.get(name)
    assert.ok(before === undefined || prompt.startsWith(before), `${name}:\n${before}\n${prompt}`)
    last.set(name, prompt)
  }
}

function countIn(value: unknown, is: (object: Json) => boolean): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = !Array.isArray(value) && is(value as Json) ? 1 : 0
  return Object.values(value).reduce<number>((sum, inner) => sum + countIn(inner, is), own)
}

/** Placeholder signatures that Google documents for calls made by other models. */
const standIn = /^(skip_thought|c2tpcF90aG91)/

/** How much of a request only its own vendor can have encrypted; nothing in chat. */
export function sealsIn({ format, body }: RelayedRequest): number {
  return countIn(JSON.parse(body), (object) => {
    if (format === 'anthropic') return object.type === 'thinking'
    if (format === 'openai-responses') return object.type === 'reasoning'
    const { thoughtSignature: signature } = object
    return typeof signature === 'string' && !standIn.test(signature)
  })
}
