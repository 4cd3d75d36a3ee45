/**
 * The published package as its user has it: packed, installed by npm without a network, and started in a folder of its own.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { buildPackage } from '../console/build-package.js'
import { program } from '../src/base/program.ts'
import { variableNames } from '../src/config/settings-table.ts'
import { type GatewayProcess, type Installation, makeInstallation } from './support/gateway-process.ts'

const home = mkdtempSync(join(tmpdir(), 'tollgate package '))
const root = fileURLToPath(new URL('..', import.meta.url))
const installed = join(home, 'node_modules', 'tollgate')
let installation: Installation
let served: GatewayProcess

before(async () => {
  await buildPackage(join(home, 'dist'))
  run('npm', ['pack', './dist'])
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `tollgate-${program.version}.tgz`])
  installation = makeInstallation('limits: { bodyBytesMax: 2000000 }', {
    main: join(home, 'node_modules', '.bin', 'tollgate'),
  })
  served = await installation.start()
})
after(async () => {
  await installation?.remove()
  rmSync(home, { recursive: true, force: true })
})

test('it contains everything that it needs, with licenses', () => {
  assert.deepEqual(
    readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['tollgate'],
  )
  const licenses = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  for (const name of ['fastify', 'pino', 'zod', 'kysely', 'stripe']) {
    assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\\n\\n.+`, 'm'), name)
  }
})

test('commands run from it', async () => {
  const version = await installation.command('--version')
  assert.deepEqual(version, { code: 0, stdout: `${program.version}\n`, stderr: '' })
  const account = await installation.command('account', 'create', '--email', 'ada@example.org')
  assert.equal(account.code, 0, account.stderr)
  assert.match(account.stdout, /sk-tg-/)
  const verified = await installation.command('ledger', 'verify')
  assert.equal(verified.code, 0, verified.stderr)
})

test('it serves the API, the console and the documentation', async () => {
  const { stdout } = await installation.command('account', 'create', '--email', 'bob@example.org', '--json')
  const key = /sk-tg-[\w-]+/.exec(stdout)?.[0]
  const models = await fetch(`${served.origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await models.json()) as { data: { id: string }[] }
  const answer = await fetch(`${served.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: data[0]?.id, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  assert.equal(answer.status, 200, await answer.text())
  for (const path of ['/', '/console', '/docs', '/pricing', '/openapi.json']) {
    assert.equal((await fetch(`${served.origin}${path}`)).status, 200, path)
  }
})

test('the image, the chart and the unit have its version and settings that exist', () => {
  const files = ['Dockerfile', 'compose.yaml', 'compose.postgres.yaml', 'deploy/systemd/tollgate.service']
  const chart = 'deploy/helm/tollgate'
  const templates = readdirSync(join(root, chart, 'templates')).map((name) => `${chart}/templates/${name}`)
  for (const file of [...files, ...templates]) {
    const named = readFileSync(join(root, file), 'utf8').match(/\bTOLLGATE_[A-Z_]+/g) ?? []
    assert.deepEqual(
      named.filter((name) => !variableNames.includes(name)),
      [],
      file,
    )
  }
  const { appVersion } = parse(readFileSync(join(root, chart, 'Chart.yaml'), 'utf8')) as {
    appVersion: string
  }
  assert.equal(appVersion, program.version)
})

function run(command: string, words: readonly string[]): void {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const path = [dirname(process.execPath), env.PATH].join(delimiter)
  const { status, stderr } = spawnSync(command, words, { cwd: home, env: { ...env, PATH: path } })
  assert.equal(status, 0, `${command} ${words.join(' ')}: ${stderr}`)
}
