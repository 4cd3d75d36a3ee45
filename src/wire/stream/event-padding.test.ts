/** An event that was opened while the stream was idle arrives complete, on the line that was opened, however its bytes are cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventPadding } from './event-padding.ts'

const cases: readonly (readonly [name: string, stream: string, resumed: string])[] = [
  ['an event', 'data: {"a":1}\n\n', '{"a":1}\n\n'],
  ['its own line ends', 'data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n', '{"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n'],
  ['without a space', 'data:{"a":"é"}\n\n', '{"a":"é"}\n\n'],
  ['with lines before it', ': x\n\n\r\nevent: y\nid: 1\ndata: {}\n\n: z\n\n', '{}\n\n: z\n\n'],
  ['on several lines', 'data: {"a":\ndata: 1}\n\ndata: 2\n\n', '{"a": 1}\n\ndata: 2\n\n'],
  ['without its blank line', 'data: {"a":1}', '{"a":1}\n\n'],
  ['with bare returns', 'data: {"a":1}\r\r', '{"a":1}\r\r'],
]
for (const [name, stream, resumed] of cases) {
  test(`an opened event continues: ${name}`, () => {
    const bytes = Buffer.from(stream)
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const padding = new EventPadding()
      assert.deepEqual(
        [padding.isOpen, padding.next(), padding.next(), padding.isOpen],
        [false, 'data: ', ' ', true],
      )
      const pieces: Uint8Array[] = []
      for (let at = 0; at < bytes.length; at += size)
        pieces.push(padding.resume(bytes.subarray(at, at + size)))
      pieces.push(padding.close())
      assert.equal(Buffer.concat(pieces).toString(), resumed, `by ${size}`)
      assert.equal(padding.isOpen, false)
    }
  })
}

test('the next silence opens the next event', () => {
  const padding = new EventPadding()
  let text = padding.next() + Buffer.from(padding.resume('data: {"a":1}\n\n')).toString()
  text += padding.next() + padding.next() + Buffer.from(padding.resume('data: {"b":2}\n\n')).toString()
  assert.equal(text, 'data: {"a":1}\n\ndata:  {"b":2}\n\n')
  assert.equal(Buffer.from(padding.close()).toString(), '')
})
