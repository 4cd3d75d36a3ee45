/** What `/metrics` says of settled requests, compared with their receipts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { inputTokens, meterNames, meters } from '../../contract/meters.ts'
import { formatUsd } from '../../contract/usd.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { type MeteredGateway, meteredGateway } from '../support/metered-gateway.ts'

const metricsToken = 'scrape-this-server'
const gate = await meteredGateway({ metricsToken, limits: { metricPairsMax: 2 } })
after(() => gate.end())

interface Sample {
  readonly labels: string
  readonly value: number
}

async function scrape({ origin }: MeteredGateway, name: string): Promise<Sample[]> {
  const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  assert.equal(answer.status, 200)
  return [...(await answer.text()).matchAll(new RegExp(`^${name}\\{(.*)\\} (.*)$`, 'gm'))].map(
    ([, labels = '', value]) => ({ labels, value: Number(value) }),
  )
}

const values = (samples: readonly Sample[]): Record<string, number> =>
  Object.fromEntries(samples.map(({ labels, value }) => [labels, value]))

test('tokens, charges, holds and ends are the sums of the receipts, by model and upstream', async () => {
  const account = await gate.account('5')
  const receipts: ReceiptRow[] = []
  for (const [model, stream] of [
    ['chat-stream', true],
    ['chat-stream', false],
    ['messages-echo', false],
  ] as const) {
    const whole = await gate
      .ask(account, { model, stream, max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] })
      .whole()
    assert.equal(whole.status, 200)
    receipts.push(await gate.receiptOf(account, receipts.length + 1))
  }
  const of = (model: string) => receipts.filter((receipt) => receipt.model === model)
  const sum = (rows: readonly ReceiptRow[], value: (row: ReceiptRow) => bigint) =>
    Number(formatUsd(rows.reduce((total, row) => total + value(row), 0n)))

  const ended = values(await scrape(gate, 'tollgate_settled_requests_total'))
  const charged = values(await scrape(gate, 'tollgate_charged_usd_total'))
  const held = values(await scrape(gate, 'tollgate_held_usd_total'))
  const tokens = values(await scrape(gate, 'tollgate_tokens_total'))
  for (const model of ['chat-stream', 'messages-echo']) {
    const rows = of(model)
    const pair = `model="${model}",upstream="${rows[0]?.upstream}"`
    assert.equal(ended[`${pair},end="complete"`], rows.length)
    assert.ok(Math.abs((charged[pair] ?? 0) - sum(rows, (row) => row.charged)) < 1e-12, model)
    assert.ok(Math.abs((held[pair] ?? 0) - sum(rows, (row) => row.hold)) < 1e-12, model)
    for (const meter of meterNames) {
      const count = rows.reduce((total, row) => total + row[meter], 0)
      assert.equal(tokens[`${pair},meter="${meters[meter].column}"`] ?? 0, count, `${model} ${meter}`)
    }
    assert.ok(rows.every((row) => inputTokens(row) > 0))
  }
  const firstBytes = values(await scrape(gate, 'tollgate_first_byte_seconds_count'))
  assert.deepEqual(Object.values(firstBytes), [2, 1])
})

test('dashboard and alert rules read metrics and outcomes that exist', async () => {
  const [dashboard, alerts] = ['grafana/tollgate.json', 'prometheus/alerts.yaml'].map((path) =>
    readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8'),
  ) as [string, string]
  const answer = await fetch(`${gate.origin}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  })
  const text = await answer.text()
  const named = new Set(`${dashboard}${alerts}`.match(/\b(?:tollgate|nodejs|process)_[a-z0-9_]+/g))
  assert.ok(named.size >= 18)
  for (const name of named) assert.ok(text.includes(`# TYPE ${name.replace(/_bucket$/, '')} `), name)
})

test('pairs above the limit count together, and a failing upstream shows', async () => {
  const account = await gate.account('5')
  const ask = { model: 'gemini-echo', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] }
  assert.equal((await gate.ask(account, ask).whole()).status, 200)
  await gate.receiptOf(account)
  const ended = values(await scrape(gate, 'tollgate_settled_requests_total'))
  assert.equal(ended['model="other",upstream="other",end="complete"'], 1)
  assert.ok(!Object.keys(ended).some((labels) => labels.includes('gemini')))

  const healthy = await scrape(gate, 'tollgate_upstream_healthy')
  assert.ok(healthy.length >= 3 && healthy.every(({ value }) => value === 1))
  const failed = await gate.ask(account, { ...ask, model: 'messages-500' }).whole()
  assert.ok(failed.status >= 500)
  const unhealthy = (await scrape(gate, 'tollgate_upstream_healthy')).filter(({ value }) => value === 0)
  assert.equal(unhealthy.length, 1)
})
