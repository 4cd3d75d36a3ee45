/**
 * Responses as bytes: recorded bodies in every framing, some of them damaged, from a seed that repeats them. It knows
 * what an intact response says, and no parser.
 */
import { Dice } from '../simulation/dice.ts'
import { fixtureCases } from '../support/fixtures.ts'

/** The response as a client should understand it. */
export interface Meaning {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ResponseBytes {
  /** Latin1 characters, one for each byte. */
  readonly text: string
  /** Null where the bytes were damaged. */
  readonly meaning: Meaning | null
}

const bodyBytesMax = 3_000
const plainBodies = [
  '',
  '{}',
  'data: {"choices":[]}\n\ndata: [DONE]\n\n',
  '\r\n\r\n',
  '0\r\n\r\n',
  'HTTP/1.1 200 OK\r\n\r\n',
]

/** Bodies of recorded exchanges, if there are any, and some that look like framing. */
const bodies: readonly string[] = [
  ...plainBodies,
  ...(['anthropic', 'gemini', 'openai-chat', 'openai-responses'] as const).flatMap((provider) =>
    fixtureCases(provider).map(({ response }) => response.toString('latin1', 0, bodyBytesMax)),
  ),
]

const statuses = [200, 200, 200, 201, 204, 304, 400, 429, 500, 529, 599]
const reasons = [' OK', ' Too Many Requests', ' ', '', ' \xe9t\xe9']
const commonHeaders = [
  ['Content-Type', 'text/event-stream; charset=utf-8'],
  ['x-request-id', 'req_0123456789'],
  ['Set-Cookie', 'a=b; Path=/'],
  ['set-cookie', 'c=d'],
  ['x-empty', ''],
  ['x-latin1', '\xe9\xff'],
  ['retry-after', '17'],
  ['keep-alive', 'timeout=5'],
  ['connection', 'keep-alive'],
  ['Connection', 'close'],
] as const
const paddings = ['', ' ', ' \t ', '\t']
/** The library that is compared takes no more than a space before their values. */
const framingNames = /^(?:content-length|transfer-encoding)$/i

/** The response of a seed. */
export function responseOf(seed: number): ResponseBytes {
  const dice = new Dice(seed)
  const intact = intactResponse(dice)
  return dice.chance(0.3) ? intact : { text: damaged(dice, intact.text), meaning: null }
}

/** `text` in pieces of random sizes, as reads of a socket would return it. */
export function pieces(seed: number, text: string): Buffer[] {
  const dice = new Dice(seed)
  const whole = Buffer.from(text, 'latin1')
  const sizeMax = dice.pick([1, 7, 100, 4_000])!
  const parts: Buffer[] = []
  for (let at = 0; at < whole.length; ) {
    const end = Math.min(whole.length, at + dice.whole(1, sizeMax))
    parts.push(whole.subarray(at, end))
    at = end
  }
  return parts
}

function intactResponse(dice: Dice): ResponseBytes {
  const status = dice.pick(statuses)!
  const hasBody = status !== 204 && status !== 304
  const body = hasBody ? dice.pick(bodies)! : ''
  const framing = hasBody ? dice.pick(['length', 'chunked', 'close'] as const)! : 'none'
  const headers: Record<string, string> = {}
  let lines = ''
  const add = (name: string, value: string): void => {
    const [before, after] = framingNames.test(name)
      ? [dice.pick(['', ' ']), '']
      : [dice.pick(paddings), dice.pick(paddings)]
    lines += `${name}:${before}${value}${after}\r\n`
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  for (let count = dice.whole(0, 6); count > 0; count -= 1) {
    const [name, value] = dice.pick(commonHeaders)!
    add(name, value)
  }
  if (framing === 'length') add('Content-Length', `${body.length}`)
  if (framing === 'chunked') add('Transfer-Encoding', dice.pick(['chunked', 'Chunked'])!)
  let interim = ''
  for (let count = dice.chance(0.1) ? dice.whole(1, 3) : 0; count > 0; count -= 1) {
    interim += dice.pick([
      'HTTP/1.1 102 Processing\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n',
    ])!
  }
  const version = framing !== 'chunked' && dice.chance(0.05) ? 'HTTP/1.0' : 'HTTP/1.1'
  const head = `${interim}${version} ${status}${dice.pick(reasons)}\r\n${lines}\r\n`
  const text = head + (framing === 'chunked' ? inChunks(dice, body) : body)
  return { text, meaning: { status, headers, body } }
}

function inChunks(dice: Dice, body: string): string {
  const extensions = dice.chance(0.1) ? [';a=b', ';a', ';a="b c"'] : ['']
  const sizeMax = dice.pick([1, 20, 1_000, bodyBytesMax])!
  let text = ''
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, dice.whole(1, sizeMax))
    const digits = size.toString(16)
    text += `${dice.chance(0.1) ? `000${digits.toUpperCase()}` : digits}${dice.pick(extensions)}\r\n`
    text += `${body.slice(at, at + size)}\r\n`
    at += size
  }
  return `${text}0\r\n${dice.chance(0.1) ? 'x-trailer: a\r\nx-other: b\r\n' : ''}\r\n`
}

/** Lines and bytes with which parsers were deceived before. */
const hostileLines = [
  'Content-Length: 5',
  'Content-Length: 5, 5',
  'content-length: +5',
  'content-length: 0x5',
  'content-length: 5 5',
  'content-length:',
  'content-length: 99999999999999999999',
  'Content-Length : 5',
  'Transfer-Encoding: chunked',
  'transfer-encoding: identity',
  'Transfer-Encoding: gzip, chunked',
  'transfer-encoding: chunked, chunked',
  'transfer-encoding: xchunked',
  'Transfer-Encoding : chunked',
  'transfer-encoding:\x0bchunked',
  ' folded: a',
  '\tchunked',
  ': no name',
  'no colon',
  'x-nul: a\0b',
  'connection: close',
  'connection: upgrade',
  'upgrade: h2c',
  'HTTP/1.1 200 OK',
  '0',
  '5;\n',
  'ffffffffffffffff',
  '100000000',
  '-1',
  '0x5',
] as const
const hostileBytes = [
  '\r',
  '\n',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  '5',
  'f',
  '\x7f',
  '\xff',
  '\r\n',
  '\n\n',
  '\r\n\r\n',
]

type Damage = (dice: Dice, text: string) => string

const damages: readonly Damage[] = [
  (dice, text) => spliced(text, dice.whole(0, text.length), 0, dice.pick(hostileBytes)!),
  (dice, text) => spliced(text, dice.whole(0, text.length), 1, dice.pick(hostileBytes)!),
  (dice, text) => spliced(text, placeInHead(dice, text), 1, dice.pick(hostileBytes)!),
  (dice, text) => spliced(text, dice.whole(0, text.length), dice.whole(1, 20), ''),
  (dice, text) => text.slice(0, dice.whole(0, text.length)),
  (dice, text) => text + dice.pick(['\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil', 'x'])!,
  (dice, text) => spliced(text, lineStart(dice, text), 0, `${dice.pick(hostileLines)}\r\n`),
  (dice, text) => spliced(text, lineStart(dice, text), 0, `${dice.pick(hostileLines)}\r\n`),
  (dice, text) => spliced(text, lineStart(dice, text), 0, `${dice.pick(hostileLines)}\n`),
  (dice, text) => {
    const line = text.indexOf('\r\n', placeInHead(dice, text))
    return line < 0 ? text : spliced(text, line, 2, dice.pick(['\n', '\r', '\r\r\n', '\n\r'])!)
  },
  (dice, text) =>
    text.replace(
      'HTTP/1.1',
      dice.pick(['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'ICY', 'HTTP/1.1 '])!,
    ),
  (dice, text) =>
    text.replace(
      / \d{3}/,
      dice.pick([' 99', ' 1000', ' 000', ' 101', ' 102', ' 204', ' 304', ' 20', ' abc'])!,
    ),
]

function damaged(dice: Dice, intact: string): string {
  let text = intact
  for (let count = dice.whole(1, 3); count > 0; count -= 1) text = dice.pick(damages)!(dice, text)
  return text
}

function spliced(text: string, at: number, removed: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at + removed)
}

function placeInHead(dice: Dice, text: string): number {
  const end = text.indexOf('\r\n\r\n')
  return dice.whole(0, end < 0 ? text.length : end)
}

function lineStart(dice: Dice, text: string): number {
  const found = text.indexOf('\r\n', placeInHead(dice, text))
  return found < 0 ? text.length : found + 2
}
