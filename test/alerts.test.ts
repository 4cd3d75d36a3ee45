/** The alert rules for Prometheus, checked by its own `promtool` (Debian package `prometheus`), which must be in PATH. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const skip =
  spawnSync('promtool', ['--version']).error === undefined
    ? false
    : 'promtool is not installed (package prometheus)'

test('the alert rules are valid, and fire for what they name', { skip }, () => {
  for (const [command, file] of [
    ['check', '../deploy/prometheus/alerts.yaml'],
    ['test', './support/alerts-cases.yaml'],
  ] as const) {
    const path = fileURLToPath(new URL(file, import.meta.url))
    const { status, stdout, stderr } = spawnSync('promtool', [command, 'rules', path], { encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
  }
})
