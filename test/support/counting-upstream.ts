/**
 * An upstream that speaks every vendor's format: it counts the tokens of a request where the vendor has an endpoint for
 * that, by the pages of its PDFs, and bills the same number when the request is made.
 */
import { type Behaviour, type FaultUpstream, faultUpstream, type SeenRequest } from './fault-upstream.ts'

/** The tokens of one page at the model named in the request or its path. */
const pageTokens: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/claude-(?:[23]|(?:opus|sonnet|haiku)-4-?[0-6]?)(?!\d)/, 1_600 + 1_500],
  [/claude/, 4_784 + 1_500],
  [/gemini-[12]/, 258],
  [/gemini/, 1_120],
  [/./, 1_105 + 700],
]
const textTokens = 20

export interface CountingUpstream extends FaultUpstream {
  /** Paths of the counting requests. */
  counts(): readonly string[]
}

export interface CountingOptions {
  /** In every document. */
  readonly pages: number
  /** The response to counting requests in place of a count. */
  readonly count?: Behaviour
  /** The factor between billed and counted tokens. */
  readonly lie?: number
}

const isCount = (path: string): boolean => /count_tokens|input_tokens|:countTokens/.test(path)

export async function countingUpstream(options: CountingOptions): Promise<CountingUpstream> {
  const upstream = await faultUpstream(({ path }) =>
    isCount(path)
      ? (options.count ?? { answer: (reply) => reply.send(json(countOf(reply.request, options))) })
      : { answer: (reply) => reply.send(json(answerOf(reply.request, options))) },
  )
  return {
    ...upstream,
    requests: upstream.requests,
    counts: () => upstream.requests.map(({ path }) => path).filter(isCount),
  }
}

function json(value: object): string {
  const body = JSON.stringify(value)
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function tokensOf({ path, body }: SeenRequest, { pages }: CountingOptions): number {
  const text = body.toString()
  const model = /models\/([^:]+):/.exec(path)?.[1] ?? /"model": ?"([^"]+)"/.exec(text)?.[1] ?? ''
  const documents = text.match(/JVBERi0|https:\/\/files\.example/g)?.length ?? 0
  const [, tokens = 0] = pageTokens.find(([models]) => models.test(model)) ?? []
  return documents * pages * tokens + textTokens
}

function countOf(request: SeenRequest, options: CountingOptions): object {
  const tokens = tokensOf(request, options)
  return request.path.includes('countTokens') ? { totalTokens: tokens } : { input_tokens: tokens }
}

function answerOf(request: SeenRequest, options: CountingOptions): object {
  const input = tokensOf(request, options) * (options.lie ?? 1)
  const usage = { input_tokens: input, output_tokens: 1, total_tokens: input + 1 }
  if (request.path.includes(':generateContent')) {
    const usageMetadata = { promptTokenCount: input, candidatesTokenCount: 1, totalTokenCount: input + 1 }
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata,
    }
  }
  if (request.path.includes('/messages')) {
    const content = [{ type: 'text', text: 'ok' }]
    return {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'end_turn',
      usage,
    }
  }
  if (request.path.includes('/responses')) {
    const content = [{ type: 'output_text', text: 'ok', annotations: [] }]
    const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]
    return { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', output, usage }
  }
  const message = { role: 'assistant', content: 'ok' }
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: input, completion_tokens: 1, total_tokens: input + 1 },
  }
}
