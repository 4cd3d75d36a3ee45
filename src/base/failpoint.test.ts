/** Failpoints: the effects of a specification, and that a misspelled one is rejected. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { failpoints } from './failpoint.ts'

test('without a specification nothing is active', () => {
  const none = failpoints(undefined)
  assert.equal(none.active, false)
  none.reach('before-commit-settle')
  assert.equal(none.delayMs('before-commit-settle'), 0)
})

test('fail throws at its turn and at no other time or place', () => {
  const points = failpoints('here:fail=2,there:delay=30')
  points.reach('here')
  points.reach('elsewhere')
  points.reach('there')
  assert.throws(() => points.reach('here'), /failpoint here/)
  points.reach('here')
  assert.equal(points.delayMs('there'), 30)
  assert.equal(points.delayMs('here'), 0)
})

test('kill ends the process by SIGKILL', () => {
  const program = `import { failpoints } from ${JSON.stringify(new URL('failpoint.ts', import.meta.url).href)}
    failpoints('here:kill').reach('here')
    process.exit(3)`
  const { signal } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program])
  assert.equal(signal, 'SIGKILL')
})

for (const text of ['here', 'here:explode', 'here:delay', 'here:kill=0', 'Here:kill', 'here:kill=']) {
  test(`"${text}" is refused`, () => assert.throws(() => failpoints(text), RangeError))
}
