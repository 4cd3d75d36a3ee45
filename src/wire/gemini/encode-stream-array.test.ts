/** The stream as one JSON array, for callers that do not ask for events. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import type { ClientError } from '../format.ts'
import { ArrayFraming } from './encode-stream.ts'

const problem: ClientError = {
  code: 'upstream_error',
  category: 'server',
  status: 500,
  message: 'Broken.',
  param: null,
  details: {},
  source: 'upstream',
  requestId: 'req_1',
}

test('recorded events become the elements, however they are cut', () => {
  for (const { name, kind, response } of fixtureCases('gemini')) {
    if (kind !== 'stream') continue
    const events = response
      .toString()
      .split(/\r?\n\r?\n/)
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text.replace(/^data:/, '')) as unknown)
    for (const chunkBytes of [1, 7, response.length]) {
      const framing = new ArrayFraming()
      let text = framing.keepAlive
      for (let at = 0; at < response.length; at += chunkBytes) {
        text += framing.push(response.subarray(at, at + chunkBytes))
      }
      assert.deepEqual(JSON.parse(text + framing.close()), events, `${name} by ${chunkBytes}`)
    }
  }
})

test('a stream of nothing is an empty array; comments are not elements', () => {
  assert.deepEqual(JSON.parse(new ArrayFraming().close()), [])
  const framing = new ArrayFraming()
  const text = framing.push(': keepalive\r\n\r\n') + framing.push('data: {"a":\ndata: 1}\n\n')
  assert.deepEqual(JSON.parse(text + framing.keepAlive + framing.close()), [{ a: 1 }])
})

test('an event that has no blank line is the last element', () => {
  const framing = new ArrayFraming()
  assert.deepEqual(JSON.parse(framing.push('data: {"a":1}\n\ndata: {"b":2}') + framing.close()), [
    { a: 1 },
    { b: 2 },
  ])
})

test('an error closes the array, with and without elements before it', () => {
  for (const before of ['', 'data: {"a":1}\n\n']) {
    const framing = new ArrayFraming()
    const text = framing.push(before) + framing.errorText(problem)
    const elements = JSON.parse(text) as { error?: { message: string } }[]
    assert.equal(elements.at(-1)?.error?.message, 'Broken.')
    assert.equal(elements.length, before === '' ? 1 : 2)
  }
})
