/** Standard JSON output, with raw text preserved to the byte and events that no text can break. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SseParser } from '../stream/sse.ts'
import { type JsonOut, jsonText, RawJson, sseEvent } from './text.ts'

const strings = fc.string({ unit: 'binary' })
const loneSurrogates = fc.constantFrom('\uD800', 'a\uDFFF\u2028', '\u0000\u001f"\\/')

test('plain values are written as JSON.stringify writes them', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.oneof(strings, loneSurrogates), (value, text) => {
      const whole = { [text]: value, list: [value, text, null], none: undefined } as JsonOut
      assert.equal(jsonText(whole), JSON.stringify(whole))
      assert.equal(jsonText([whole, new RawJson('1')]), JSON.stringify([whole, 1]))
    }),
  )
})

test('names that objects have by birth are names like any other', () => {
  const hostile = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":null,"2":1,"1":2}') as JsonOut
  assert.equal(jsonText(hostile), JSON.stringify(hostile))
  assert.match(jsonText(hostile), /"__proto__":\{"a":1\}/)
})

test('raw text is copied as it was written', () => {
  const raw = '{"b":9007199254740993,"a":1e21,\n "é":"\\u00e9", "b":1}'
  assert.equal(
    jsonText({ z: new RawJson(raw), a: [new RawJson('1.0'), true] }),
    `{"z":${raw},"a":[1.0,true]}`,
  )
})

/** The data of the events in it, by the parser that reads upstreams. */
function dataIn(text: string): readonly (readonly [name: string | null, data: string])[] {
  const parser = new SseParser(1 << 20)
  const found: (readonly [string | null, string])[] = []
  parser.push(new TextEncoder().encode(text))
  while (parser.next()) found.push([parser.isNamed('named') ? 'named' : null, parser.dataText()])
  return found
}

test('an event is one event, whatever line breaks its raw text has', () => {
  for (const breaks of ['\n', '\r', '\r\n', '\n\n', '\n\r\n \n']) {
    const schema = new RawJson(`{${breaks}"a"${breaks}:1${breaks}}`)
    const events = dataIn(sseEvent('named', { schema }))
    assert.equal(events.length, 1, JSON.stringify(breaks))
    assert.equal(events[0]?.[0], 'named')
    assert.deepEqual(JSON.parse(events[0]?.[1] ?? ''), { schema: { a: 1 } })
  }
  assert.equal(sseEvent(null, { a: 'x\ny' }), 'data: {"a":"x\\ny"}\n\n')
})
