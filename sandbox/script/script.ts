/**
 * The sandbox's side of a connection, as a list of small steps: the formats write them, the faults
 * rearrange them, the player plays them. Values only; nothing here touches a socket or the clock.
 */

/** Tokens of input as the sandbox charges them, in disjoint classes. */
export interface InputUsage {
  readonly uncached: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
}

/**
 * How the connection ends: `clean` is a proper end of the HTTP message, `fin` closes the socket in the
 * middle of it, `rst` resets it.
 */
export type Close = 'clean' | 'fin' | 'rst'

/** How the end of the body is marked: by chunks, by a declared length never reached, or by closing. */
export type BodyFraming = 'chunked' | 'declared' | 'until_close'

/**
 * The place of a write in the answer: `frame` opens and separates, `content` carries made tokens,
 * `finish` says why it stopped and what was used, `end` is the end mark of the protocol.
 */
type WriteRole = 'frame' | 'content' | 'finish' | 'end'

export interface Write {
  readonly kind: 'write'
  readonly role: WriteRole
  /** '' where tokens are made without being shown. */
  readonly text: string | Uint8Array
  readonly outputTokens: number
  /** How many of `outputTokens` are reasoning. */
  readonly reasoningTokens: number
}

export interface Head {
  readonly kind: 'head'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly framing: BodyFraming
}

export type ScriptStep =
  | Head
  | Write
  /** From here on the input is charged. */
  | { readonly kind: 'charge'; readonly input: InputUsage }
  /** The output count that the next write reports to the client. */
  | { readonly kind: 'report'; readonly outputTokens: number }
  /** Waits `ms` from now; `due` counts from the end of it. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Waits until `ms` after the start or the last `wait`, so that pace does not drift. */
  | { readonly kind: 'due'; readonly ms: number }
  /** Lets the event loop turn once. */
  | { readonly kind: 'turn' }
  /** Does nothing more until the client leaves. */
  | { readonly kind: 'silence' }
  | { readonly kind: 'close'; readonly how: Close }

/** All that is done to answer one request, in order. */
export type ResponseScript = Iterable<ScriptStep>

export function head(status: number, headers: Readonly<Record<string, string>>): Head {
  return { kind: 'head', status, headers, framing: 'chunked' }
}

function plain(role: WriteRole, text: string): Write {
  return { kind: 'write', role, text, outputTokens: 0, reasoningTokens: 0 }
}

export const frame = (text: string): Write => plain('frame', text)
export const finish = (text: string): Write => plain('finish', text)
export const end = (text: string): Write => plain('end', text)

/** A token of the answer, as the event that shows it. */
export function content(text: string): Write {
  return { kind: 'write', role: 'content', text, outputTokens: 1, reasoningTokens: 0 }
}

/** A token of reasoning; `text` is '' where it stays hidden. */
export function thought(text: string): Write {
  return { kind: 'write', role: 'content', text, outputTokens: 1, reasoningTokens: 1 }
}

/** Where a JSON answer is split: early, so that its usage stays in one write. */
const bodySplit = 40

/** A JSON answer in two writes, so that a fault can strike between them. */
export function* bodyScript(body: string): Generator<ScriptStep> {
  yield plain('content', body.slice(0, bodySplit))
  yield finish(body.slice(bodySplit))
}
