/**
 * Responses of a minimal upstream in either format, whole or streamed, event by event, with a known
 * usage. It knows the formats' shapes and nothing of the gateway.
 */
import { type Behaviour, chunkedHead, httpChunk, wholeAnswer } from './fault-upstream.ts'
import type { Format } from './paying-client.ts'

/** The usage of every response. */
export const standInUsage = { input: 7, output: 3 } as const

/** The streamed response in the order of its events: the start, one with text, the finish. */
interface StandInStream {
  readonly opening: string
  /** An event with content. */
  content(text: string): string
  readonly finish: string
}

function chatEvent(choices: readonly object[], more: object = {}): string {
  const chunk = { id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'stand-in', choices }
  return `data: ${JSON.stringify({ ...chunk, ...more })}\n\n`
}

function chatDelta(delta: object, reason: string | null = null): string {
  return chatEvent([{ index: 0, delta, finish_reason: reason }])
}

function messagesEvent(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
}

const chatUsage = {
  prompt_tokens: standInUsage.input,
  completion_tokens: standInUsage.output,
  total_tokens: 10,
}
const messagesUsage = { input_tokens: standInUsage.input, output_tokens: standInUsage.output }
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'stand-in' }

export const streams: Readonly<Record<Format, StandInStream>> = {
  chat: {
    opening: chatDelta({ role: 'assistant', content: '' }),
    content: (text) => chatDelta({ content: text }),
    finish: `${chatDelta({}, 'stop')}${chatEvent([], { usage: chatUsage })}data: [DONE]\n\n`,
  },
  messages: {
    opening: `${messagesEvent('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { ...messagesUsage, output_tokens: 1 } },
    })}${messagesEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })}`,
    content: (text) =>
      messagesEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    finish: `${messagesEvent('content_block_stop', { index: 0 })}${messagesEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: standInUsage.output },
    })}${messagesEvent('message_stop', {})}`,
  },
}

const wholes: Readonly<Record<Format, (text: string) => object>> = {
  chat: (text) => ({
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model: 'stand-in',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: chatUsage,
  }),
  messages: (text) => ({
    ...message,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: messagesUsage,
  }),
}

const json = ['content-type: application/json']

/** The JSON of a whole response with this text. */
export function standInWhole(format: Format, text: string): string {
  return JSON.stringify(wholes[format](text))
}

/** Answers as requested, streamed or whole, with this text. */
export function standsIn(text: string): Behaviour {
  return {
    answer(reply) {
      const { path, body } = reply.request
      const format: Format = path.includes('messages') ? 'messages' : 'chat'
      if (!/"stream": *true/.test(body.toString('latin1'))) {
        wholeAnswer(200, standInWhole(format, text), json).answer(reply)
        return
      }
      const { opening, content, finish } = streams[format]
      reply.send(chunkedHead + httpChunk(opening + content(text) + finish) + httpChunk())
    },
  }
}

/** Responds with a status and an error in the requested format. */
export function rejects(status: number): Behaviour {
  return wholeAnswer(status, '{"type":"error","error":{"type":"api_error","message":"It failed."}}', json)
}
