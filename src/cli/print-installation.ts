/** The outputs of operations on an installation as text. Pure; every function ends its text with a line break. */
import { pricedMeters } from '../../contract/meters.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import { columns, labeled } from './table-text.ts'

const headings = pricedMeters.map(({ shortLabel }) => shortLabel.toUpperCase())

export function prices(output: OperationOutput<'models.prices'>): string {
  if (output.length === 0) return 'No prices.\n'
  return columns(
    ['PRICE', 'FROM', 'TIMES', ...headings, 'SOURCE'],
    output.map((row) => [
      row.id,
      row.effectiveFrom,
      row.schedule?.join(', ') ?? 'always',
      ...pricedMeters.map(({ rate }) => row[rate] ?? '-'),
      row.source,
    ]),
    headings,
  )
}

export function markup(output: OperationOutput<'markup.show'>): string {
  return output.markup === null
    ? 'No markup.\n'
    : `${output.markup} on list prices (set in the ${output.from})\n`
}

export function upstreams(output: OperationOutput<'upstreams.list'>): string {
  if (output.length === 0) return 'No upstreams.\n'
  return columns(
    ['UPSTREAM', 'PROVIDER', 'URL', 'MODELS', 'CREDENTIAL', 'SOURCE', 'STATUS'],
    output.map((row) => [
      row.name,
      row.provider,
      row.url ?? 'default',
      row.models === 'all' ? `${row.serves.length} (all)` : String(row.serves.length),
      row.credentialEnd === '' ? '–' : `…${row.credentialEnd}`,
      row.from,
      row.disabled ? 'disabled' : row.health.state,
    ]),
  )
}

export function upstream(output: OperationOutput<'upstreams.put'>): string {
  return labeled([
    ['Upstream', output.name],
    ['Provider', output.provider],
    ['URL', output.url ?? 'default'],
    [
      'Models',
      output.serves.length === 0
        ? `none yet (see tollgate upstreams models ${output.name})`
        : output.serves.join(', '),
    ],
    ['Status', output.disabled ? 'disabled' : 'enabled'],
  ])
}

const rate = (failures: number, requests: number): string =>
  requests === 0 ? '-' : `${((100 * failures) / requests).toFixed(1)}%`
const milliseconds = (value: number | null): string => (value === null ? '-' : `${value} ms`)

export function upstreamStatus(output: OperationOutput<'upstreams.status'>): string {
  const rows = output.upstreams.flatMap(({ upstream, offers }) =>
    offers.map((offer) => [
      upstream,
      offer.upstreamModel,
      offerState(offer),
      String(offer.requests),
      rate(offer.failures, offer.requests),
      milliseconds(offer.firstByteP50Ms),
      milliseconds(offer.firstByteP95Ms),
      offer.cost,
    ]),
  )
  if (rows.length === 0) return 'No models at any upstream.\n'
  const more = output.upstreams.flatMap(({ upstream, total, offers }) =>
    total > offers.length
      ? [`${upstream}: ${total - offers.length} more models (use --upstream and --limit)\n`]
      : [],
  )
  const headings = ['REQUESTS', 'ERRORS', 'TTFB P50', 'TTFB P95', 'COST USD']
  const table = columns(['UPSTREAM', 'MODEL THERE', 'STATE', ...headings], rows, headings)
  return `${table}${more.join('')}Last ${output.period}, since ${output.since} at the earliest. Time to first byte: streamed responses.\n`
}

function offerState({
  state,
  until,
  testCase,
}: OperationOutput<'upstreams.status'>['upstreams'][number]['offers'][number]): string {
  if (testCase && state !== 'disabled') return 'test case'
  return until === null ? state : `${state} until ${until}`
}

export function upstreamSwitched({
  upstream: name,
  upstreamModel,
  disabled,
}: OperationOutput<'upstreams.disable'>): string {
  const what = upstreamModel === null ? name : `${upstreamModel} at ${name}`
  return `${disabled ? 'Disabled' : 'Enabled'} ${what}.\n`
}

const testWords: Readonly<Record<OperationOutput<'upstreams.test'>['state'], string>> = {
  accepted: 'accepted by the provider',
  rejected: 'rejected by the provider',
  untested: 'not tested: the provider responds without checking it',
  unreachable: 'not tested',
}

export function upstreamTest(output: OperationOutput<'upstreams.test'>): string {
  return labeled([
    ['Upstream', output.upstream],
    ['API key', testWords[output.state]],
    ['Models', String(output.models)],
    ...output.paths.map(
      ({ url, state, status }) =>
        ['Path', `POST ${url}${state === 'missing' ? ` is missing (HTTP ${status ?? ''})` : ''}`] as const,
    ),
    ...(output.problem === null ? [] : [['Problem', output.problem] as const]),
    ...(output.hostMessage === null ? [] : [['Provider says', output.hostMessage] as const]),
  ])
}

export function providerKeys(output: OperationOutput<'provider-keys.list'>): string {
  if (output.keys.length === 0) return 'No provider keys.\n'
  return columns(
    ['PROVIDER', 'KEY', 'USE', 'MODELS', 'STATUS'],
    output.keys.map((row) => [
      row.provider,
      row.credentialEnd === '' ? '–' : `…${row.credentialEnd}`,
      row.use,
      String(row.models),
      output.allowed ? row.state : 'not enabled',
    ]),
    ['MODELS'],
  )
}

export function providerKey(output: OperationOutput<'provider-keys.put'>): string {
  return labeled([
    ['Provider', output.name],
    ['URL', output.url],
    ['Use', output.use],
    ['Models', String(output.models)],
  ])
}

export function providerKeyTest(output: OperationOutput<'provider-keys.test'>): string {
  return labeled([
    ['Provider', output.provider],
    ['API key', testWords[output.state]],
    ...(output.problem === null ? [] : [['Problem', output.problem] as const]),
    ...(output.hostMessage === null ? [] : [['Provider says', output.hostMessage] as const]),
  ])
}

export function upstreamModels(output: OperationOutput<'upstreams.models'>): string {
  if (output.problem !== null) return `${output.problem}\n`
  return columns(
    ['UPSTREAM MODEL', 'MODEL', 'ENABLED', 'INPUT', 'OUTPUT'],
    output.models.map((row) => [
      row.upstreamModel,
      row.model,
      row.offered ? 'yes' : 'no',
      row.input ?? '–',
      row.output ?? '–',
    ]),
    ['INPUT', 'OUTPUT'],
  )
}

export function losses(output: OperationOutput<'losses.list'>): string {
  const total = `Total: ${output.total} USD\n`
  if (output.accounts.length === 0) return total
  const table = columns(
    ['ACCOUNT', 'EMAIL', 'WRITTEN OFF', 'REQUESTS', 'RESTRICTED'],
    output.accounts.map((row) => [
      row.account,
      row.email ?? '–',
      row.writtenOff,
      String(row.requests),
      row.restricted ?? '–',
    ]),
    ['WRITTEN OFF', 'REQUESTS'],
  )
  return `${table}\n${total}`
}

export function members(output: OperationOutput<'members.list'>): string {
  if (output.length === 0) return 'No unknown fields or betas.\n'
  return columns(
    ['FORMAT', 'MEMBER', 'SINCE', 'ACCOUNT', 'REJECTED'],
    output.map((row) => [
      row.format,
      row.member,
      row.since ?? '–',
      row.account ?? '–',
      row.rejected ? 'yes' : 'no',
    ]),
  )
}

export function audit(output: OperationOutput<'audit.list'>): string {
  if (output.length === 0) return 'No audit entries.\n'
  return columns(
    ['TIME', 'ACTOR', 'OPERATION', 'ACCOUNT', 'OUTCOME'],
    output.map((row) => [row.at, row.actor, row.operation, row.account ?? '–', row.outcome]),
  )
}

export function system(output: OperationOutput<'system.show'>): string {
  const facts = labeled([
    ['Version', output.version],
    ['Node', output.node],
    ['Started', output.startedAt],
    ['URL', output.address],
    ['Database', output.database.kind],
    ['Accounts', String(output.accounts)],
    ['Running requests', String(output.running)],
    ['Sign-up', output.signup],
    ['Email', output.mail ? 'configured' : 'not configured'],
    ['Payments', output.payments === 'none' ? 'not configured' : output.payments],
    ['Last ledger check', output.ledger.checked ?? 'not since startup'],
    ['Last ledger verify', output.ledger.verified ?? 'never'],
    ...Object.entries(output.platform).map(
      ([name, amount]) => [`Platform ${name}`, `${amount} USD`] as const,
    ),
  ])
  return output.warnings.length === 0 ? facts : `${facts}\n${output.warnings.join('\n')}\n`
}
