/** The folder of a run of the tests: it replaces those that earlier runs have left, and no other. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { makeTestFolder, removeTestFolder } from '../scripts/test-folder.js'

const place = mkdtempSync(join(tmpdir(), 'tollgate-folders-'))
after(() => rmSync(place, { recursive: true }))

const { pid: ended } = spawnSync(process.execPath, ['--version'])
const hourAgo = Date.now() / 1_000 - 3_600

/** Folders that runs have left, and whether each is still needed. */
const left = [
  { name: `tollgate-tests-${ended}-abandoned`, isOld: true, isKept: false },
  { name: `tollgate-tests-${ended}-recent`, isOld: false, isKept: true },
  { name: `tollgate-tests-${process.pid}-running`, isOld: true, isKept: true },
  { name: 'tollgate-tests-', isOld: true, isKept: true },
  { name: 'another', isOld: true, isKept: true },
]

test('a run removes what a killed one has left, and its own folder', () => {
  for (const { name, isOld } of left) {
    mkdirSync(join(place, name, 'data'), { recursive: true })
    if (isOld) utimesSync(join(place, name), hourAgo, hourAgo)
  }
  const kept = left.flatMap(({ name, isKept }) => (isKept ? [name] : []))
  const folder = makeTestFolder(place)
  assert.deepEqual(readdirSync(place).sort(), [...kept, basename(folder)].sort())
  mkdirSync(join(folder, 'data'))
  removeTestFolder(folder)
  assert.deepEqual(readdirSync(place).sort(), kept.sort())
})

const cannotGive = process.getuid?.() === 0 ? false : 'only root can give a folder to another user'

test('what another user has left is theirs to remove', { skip: cannotGive }, () => {
  const name = `tollgate-tests-${ended}-theirs`
  mkdirSync(join(place, name))
  chownSync(join(place, name), 1, 1)
  utimesSync(join(place, name), hourAgo, hourAgo)
  removeTestFolder(makeTestFolder(place))
  assert.ok(readdirSync(place).includes(name))
})
