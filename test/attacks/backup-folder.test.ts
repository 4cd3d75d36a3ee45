/** A backup into a folder that others may write to: no folder or link that they made receives the databases or the secret. */
import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { readConfig } from '../../src/config/config.ts'
import { backUp } from '../../src/server/back-up.ts'
import { openCommandServices } from '../../src/server/services.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-shared-'))
after(() => rmSync(scratch, { recursive: true }))

test('a folder with the name of the unfinished backup is not used', async () => {
  const data = join(scratch, 'data')
  const config = readConfig({ TOLLGATE_DATA: data, TOLLGATE_LOG_LEVEL: 'fatal' }, scratch)
  assert.ok(config.kind === 'config')
  const services = await openCommandServices(config.config, { clock: systemClock, random: systemRandom })
  assert.ok(services.kind === 'open')
  await services.close()

  const target = join(scratch, 'backup')
  const planted = `${target}.partial-${process.pid}`
  const victim = join(scratch, 'victim')
  writeFileSync(victim, 'unchanged')
  mkdirSync(planted, { mode: 0o777 })
  symlinkSync(victim, join(planted, 'secret'))

  const result = backUp(data, target, 10)
  assert.equal(result.kind, 'done', JSON.stringify(result))
  assert.deepEqual(readdirSync(planted), ['secret'])
  assert.equal(readFileSync(victim, 'utf8'), 'unchanged')
  assert.equal(statSync(target).mode & 0o777, 0o700)
  assert.equal(statSync(join(target, 'secret')).mode & 0o777, 0o600)
})
