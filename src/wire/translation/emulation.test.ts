/** What is done to a response because its upstream does not support it: whole, and in a stream cut anywhere. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noTokens } from '../../../contract/meters.ts'
import { EmulatedStream, emulatedResponse, StopMatcher } from './emulation.ts'
import type { Emulation, Finish, NeutralResponse, ResponseEvent, ResponsePart } from './neutral.ts'

const usage = {
  ...noTokens,
  inputUncached: 1,
  output: 9,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const end: Finish = { reason: 'end', stopString: null, explanation: null }
const text = (words: string): ResponsePart => ({ kind: 'text', text: words, cache: null, citations: [] })
const answer = (...parts: ResponsePart[]): NeutralResponse => ({
  parts,
  finish: end,
  usage,
  logprobs: null,
})

const textEvents = (pieces: readonly string[]): readonly ResponseEvent[] => [
  { kind: 'open', part: { kind: 'text' } },
  ...pieces.map((piece): ResponseEvent => ({ kind: 'delta', text: piece })),
  { kind: 'close', encrypted: null },
]

/** A stream in a few letters. */
function streamed(emulation: Emulation, ...events: (readonly ResponseEvent[])[]): string {
  const stream = new EmulatedStream(emulation)
  const all = [...events.flat(), { kind: 'finish', finish: end } as const].flatMap((one) => stream.push(one))
  assert.equal(stream.keptCharacters, 0)
  return all
    .map((one) => {
      if (one.kind === 'open') return `<${one.part.kind === 'call' ? one.part.name : one.part.kind}>`
      if (one.kind === 'delta') return one.text
      if (one.kind === 'close') return '</>'
      return one.kind === 'finish' ? `${one.finish.reason} ${one.finish.stopString ?? ''}`.trim() : one.kind
    })
    .join('')
}

/** What it must be: all before the first stop string that is complete. */
function expected(whole: string, stops: readonly string[]): { text: string; stop: string | null } {
  for (let at = 1; at <= whole.length; at += 1) {
    const found = stops
      .filter((stop) => whole.slice(0, at).endsWith(stop))
      .sort((a, b) => b.length - a.length)[0]
    if (found !== undefined) return { text: whole.slice(0, at - found.length), stop: found }
  }
  return { text: whole, stop: null }
}

test('a text ends before the first stop string, however it is cut', () => {
  const letters = fc.constantFrom('a', 'b', 'é', '\n')
  const words = (min: number, max: number) =>
    fc.array(letters, { minLength: min, maxLength: max }).map((all) => all.join(''))
  fc.assert(
    fc.property(
      fc.array(words(0, 5), { maxLength: 12 }),
      fc.array(words(1, 4), { minLength: 1 }),
      (pieces, stops) => {
        const matcher = new StopMatcher(stops)
        const output = pieces.map((piece) => matcher.push(piece)).join('') + matcher.flush()
        assert.deepEqual({ text: output, stop: matcher.stop }, expected(pieces.join(''), stops))
      },
    ),
  )
})

test('only what may be the beginning of a stop string waits', () => {
  const matcher = new StopMatcher(['END', 'ENOUGH'])
  assert.deepEqual(
    ['so E', 'N', 'O', 'T', ' EN', 'D and more'].map((piece) => [
      matcher.push(piece),
      matcher.keptCharacters,
    ]),
    [
      ['so ', 1],
      ['', 2],
      ['', 3],
      ['ENOT', 0],
      [' ', 2],
      ['', 0],
    ],
  )
  assert.equal(matcher.stop, 'END')
})

test('a stream that is cut ends as one that stopped, and says nothing more', () => {
  const cut = { callOf: null, stops: ['END'] }
  assert.equal(
    streamed(cut, textEvents(['a', ' E', 'N', 'D b']), textEvents(['c'])),
    '<text>a </>stop_string END',
  )
  assert.equal(streamed(cut, textEvents(['a E'])), '<text>a E</>end')
  assert.equal(streamed(cut, textEvents(['E']), textEvents(['ND'])), '<text>E</><text>ND</>end')
  const thought: readonly ResponseEvent[] = [
    { kind: 'open', part: { kind: 'thinking' } },
    { kind: 'delta', text: 'END' },
    { kind: 'close', encrypted: null },
  ]
  assert.equal(streamed(cut, thought, textEvents(['a'])), '<thinking>END</><text>a</>end')
})

test('a whole answer says the same', () => {
  const call: ResponsePart = {
    kind: 'call',
    id: 'c',
    name: 'f',
    namespace: null,
    form: 'json',
    input: '{}',
    encrypted: null,
    pointer: '',
  }
  const cut = emulatedResponse(answer(text('one END two'), call), { callOf: null, stops: ['END'] })
  assert.deepEqual(cut.parts, [text('one ')])
  assert.deepEqual(cut.finish, { reason: 'stop_string', stopString: 'END', explanation: null })
  assert.equal(cut.usage, usage)
  assert.deepEqual(
    emulatedResponse(answer(text('one')), { callOf: null, stops: ['END'] }),
    answer(text('one')),
  )
})

test('the input of a tool is sent as its call, and anything else unchanged', () => {
  const called = { callOf: 'f', stops: [] }
  assert.equal(streamed(called, textEvents(['\n', ' {"a"', ':1}'])), '<f>{"a":1}</>calls')
  assert.equal(streamed(called, textEvents(['I can', 'not.'])), '<text>I cannot.</>end')
  assert.equal(streamed(called, textEvents([])), '<text></>end')
  assert.equal(streamed(called, textEvents(['\n']), textEvents(['{}'])), '<text>\n</><f>{}</>calls')
  const whole = emulatedResponse(answer(text(' {"a":1}\n')), called)
  assert.partialDeepStrictEqual(whole.parts[0], { kind: 'call', name: 'f', input: '{"a":1}' })
  assert.equal(whole.finish.reason, 'calls')
  assert.deepEqual(emulatedResponse(answer(text('No.')), called), answer(text('No.')))
})
