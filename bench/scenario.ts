/** Type of the files in `scenarios/`: a load, described as data. Knows no program. */

/** A load. Every program gets the same requests and sends the same answers. */
export interface Scenario {
  readonly name: string
  readonly connections: number
  /** Requests in one slice; a slice is one program's turn in a round. */
  readonly requests: number
  /** Where it is sent. */
  readonly path: string
  readonly body: string
  /** `all`: the requests take turns with the keys of all accounts; otherwise one key sends everything. */
  readonly keys?: 'all'
  /** Events of each stream; two scenarios of one family that differ in them show the cost of an event. */
  readonly stream?: { readonly family: string; readonly events: number }
  /** Floors get no more requests than gateways, as they otherwise do. */
  readonly isExact?: true
  /** The same load also for a gateway with this many threads. */
  readonly threads?: number
  /** Runs only when named: it takes long, or needs a dedicated machine. */
  readonly onlyIfNamed?: true
}

export const chatPath = '/v1/chat/completions'

/** Text of about one kilobyte, as a short conversation has. */
export const promptText = 'Tell me how a gateway counts what it relays, please. '.repeat(16)

/** A body in the format of Chat Completions or Messages, which agree on these fields. */
export function chatBody(fields: object, text = promptText): string {
  return JSON.stringify({
    model: 'gpt-bench',
    max_tokens: 256,
    ...fields,
    messages: [{ role: 'user', content: text }],
  })
}
