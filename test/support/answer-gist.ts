/**
 * The essential content of a response, read from each format by a few lines that share no code with the codecs under
 * test, so that a response and its translation can be compared. Ignores media, citations and ids.
 */
import assert from 'node:assert/strict'
import type { ConversationFormat } from '../../src/wire/format-names.ts'

export interface Gist {
  /** The text of a refusal counts as text. */
  readonly text: string
  /** Without white space, which formats insert between parts of it. */
  readonly thinking: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  readonly finish: 'end' | 'calls' | 'length' | 'filter' | 'pause' | 'none'
}

export type Loose = Readonly<Record<string, unknown>>

export function gistOf(format: ConversationFormat, answer: unknown): Gist {
  assert.ok(isLoose(answer), 'an answer is an object')
  return readers[format](answer)
}

const readers: Readonly<Record<ConversationFormat, (answer: Loose) => Gist>> = {
  'openai-chat': chatGist,
  'openai-responses': responsesGist,
  anthropic: messagesGist,
  gemini: geminiGist,
}

export function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inside(value: unknown, name: string): Loose {
  const found = isLoose(value) ? value[name] : undefined
  return isLoose(found) ? found : {}
}

export function listed(value: unknown, name: string): readonly Loose[] {
  const found = isLoose(value) ? value[name] : undefined
  return Array.isArray(found) ? found.filter(isLoose) : []
}

function said(value: unknown, name: string): string {
  const found = isLoose(value) ? value[name] : undefined
  return typeof found === 'string' ? found : ''
}

/** The parsed JSON of a call's arguments; truncated JSON is compared as text. */
function inputOf(text: unknown): unknown {
  if (isLoose(text)) return text
  if (typeof text !== 'string' || text.trim() === '') return {}
  try {
    return JSON.parse(text) as unknown
  } catch {
    return { _raw: text }
  }
}

const squeezed = (text: string) => text.replace(/\s+/g, '')

/** A call counts as a call, regardless of the finish reason: some hosts report «stop». */
function finished(calls: Gist['calls'], reason: Gist['finish'] | undefined, refused: string): Gist['finish'] {
  assert.ok(reason !== undefined, 'a reason that no row knows')
  if (refused !== '' && reason === 'end') return 'filter'
  return calls.length > 0 && reason === 'end' ? 'calls' : reason
}

const chatReasons: Readonly<Record<string, Gist['finish']>> = {
  stop: 'end',
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  content_filter: 'filter',
}

function chatGist(answer: Loose): Gist {
  const choice = listed(answer, 'choices')[0]
  const message = inside(choice, 'message')
  const legacy = inside(message, 'function_call')
  const calls = [
    ...listed(message, 'tool_calls').map((call) =>
      call.type === 'custom'
        ? { name: said(call.custom, 'name'), input: { input: said(call.custom, 'input') } }
        : { name: said(call.function, 'name'), input: inputOf(inside(call, 'function').arguments) },
    ),
    ...(legacy.name === undefined ? [] : [{ name: said(legacy, 'name'), input: inputOf(legacy.arguments) }]),
  ]
  const refused = said(message, 'refusal')
  const reason = choice?.finish_reason
  return {
    text: said(message, 'content') + refused,
    thinking: squeezed(said(message, 'reasoning_content') || said(message, 'reasoning')),
    calls,
    finish: reason == null ? 'none' : finished(calls, chatReasons[String(reason)], refused),
  }
}

const messagesReasons: Readonly<Record<string, Gist['finish']>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'filter',
  pause_turn: 'pause',
}

function messagesGist(answer: Loose): Gist {
  const blocks = listed(answer, 'content')
  const joined = (type: string, name: string) =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => said(block, name))
      .join('')
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({ name: said(block, 'name'), input: inputOf(block.input) }))
  const reason = answer.stop_reason
  return {
    text: joined('text', 'text'),
    thinking: squeezed(joined('thinking', 'thinking')),
    calls,
    finish: reason == null ? 'none' : finished(calls, messagesReasons[String(reason)], ''),
  }
}

function responsesReason(answer: Loose): Gist['finish'] | undefined {
  // A recording contains the status 'complete'.
  if (answer.status === 'completed' || answer.status === 'complete') return 'end'
  if (answer.status !== 'incomplete')
    return answer.status == null || answer.status === 'in_progress' ? 'none' : undefined
  const { reason } = inside(answer, 'incomplete_details')
  return reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? 'filter' : undefined
}

function responsesGist(answer: Loose): Gist {
  const items = listed(answer, 'output')
  const parts = items.filter(({ type }) => type === 'message').flatMap((item) => listed(item, 'content'))
  const calls = items.flatMap((item) => {
    if (item.type === 'function_call') return [{ name: said(item, 'name'), input: inputOf(item.arguments) }]
    if (item.type !== 'custom_tool_call') return []
    return [{ name: said(item, 'name'), input: { input: said(item, 'input') } }]
  })
  const refused = parts.map((part) => said(part, 'refusal')).join('')
  const thoughts = items
    .filter(({ type }) => type === 'reasoning')
    .flatMap((item) => [...listed(item, 'summary'), ...listed(item, 'content')])
  return {
    text: parts.map((part) => said(part, 'text') + said(part, 'refusal')).join(''),
    thinking: squeezed(thoughts.map((thought) => said(thought, 'text')).join('')),
    calls,
    finish: finished(calls, responsesReason(answer), refused),
  }
}

const geminiReasons: Readonly<Record<string, Gist['finish']>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  OTHER: 'end',
}
const geminiFilters = /^(SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|IMAGE_\w+|MODEL_ARMOR)$/

function geminiGist(answer: Loose): Gist {
  const candidate = listed(answer, 'candidates')[0]
  const parts = listed(candidate?.content, 'parts')
  const calls = parts
    .filter(({ functionCall }) => isLoose(functionCall))
    .map(({ functionCall }) => ({
      name: said(functionCall, 'name'),
      input: inputOf(inside({ functionCall }, 'functionCall').args),
    }))
  const reason = candidate?.finishReason
  const isBlocked = candidate === undefined || inside(answer, 'promptFeedback').blockReason !== undefined
  const isFiltered = typeof reason === 'string' && geminiFilters.test(reason)
  const visible = parts.filter(({ thought }) => thought !== true)
  const finish =
    isBlocked || isFiltered ? 'filter' : reason === undefined ? 'none' : geminiReasons[String(reason)]
  return {
    text: visible.map((part) => said(part, 'text')).join(''),
    thinking: squeezed(
      parts
        .filter(({ thought }) => thought === true)
        .map((part) => said(part, 'text'))
        .join(''),
    ),
    calls,
    finish: finished(calls, finish, ''),
  }
}

/** The ids by which the results of its calls must name them; formats that need none may omit them. */
export function callIdsIn(format: ConversationFormat, answer: unknown): readonly string[] {
  const ids: Readonly<Record<ConversationFormat, () => readonly unknown[]>> = {
    'openai-chat': () =>
      listed(inside(listed(answer, 'choices')[0], 'message'), 'tool_calls').map(({ id }) => id),
    'openai-responses': () =>
      listed(answer, 'output').flatMap(({ type, call_id: id }) => (/_call$/.test(String(type)) ? [id] : [])),
    anthropic: () => listed(answer, 'content').flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])),
    gemini: () =>
      listed(listed(answer, 'candidates')[0]?.content, 'parts').flatMap(({ functionCall }) =>
        isLoose(functionCall) ? [functionCall.id] : [],
      ),
  }
  return ids[format]()
    .filter((id) => id !== undefined)
    .map(String)
}
