/** Printed URLs can be opened. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownHost } from './shown-host.ts'

test('an address of every interface is shown as one of this machine', () => {
  const shown = ['127.0.0.1', '0.0.0.0', '::', '::1', 'gate.example'].map(shownHost)
  assert.deepEqual(shown, ['127.0.0.1', '127.0.0.1', 'localhost', '[::1]', 'gate.example'])
  for (const host of shown) assert.doesNotThrow(() => new URL(`http://${host}:8080`))
})
