/** The outputs of operations on an installation as text. Pure; every function ends its text with a line break. */
import { pricedMeters } from '../../contract/meters.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import { factsOf, labeled, milliseconds, percentage, tableOf } from './table-text.ts'

type Price = OperationOutput<'models.prices'>[number]
type Upstream = OperationOutput<'upstreams.list'>[number]
type UpstreamStatus = OperationOutput<'upstreams.status'>
type OfferStatus = UpstreamStatus['upstreams'][number]['offers'][number]
type CredentialTest = Omit<OperationOutput<'provider-keys.test'>, 'provider'>

const ending = (credential: string) => (credential === '' ? null : `…${credential}`)

export const prices = tableOf<Price>('No prices.\n', {
  PRICE: 'id',
  FROM: 'effectiveFrom',
  TIMES: ({ schedule }) => schedule?.join(', ') ?? 'always',
  ...Object.fromEntries(
    pricedMeters.map(({ rate, shortLabel }) => [
      `>${shortLabel.toUpperCase()}`,
      (row: Price) => row[rate] ?? '-',
    ]),
  ),
  SOURCE: 'source',
})

export function markup(output: OperationOutput<'markup.show'>): string {
  return output.markup === null
    ? 'No markup.\n'
    : `${output.markup} on list prices (set in the ${output.from})\n`
}

export const upstreams = tableOf<Upstream>('No upstreams.\n', {
  UPSTREAM: 'name',
  PROVIDER: 'provider',
  URL: ({ url }) => url ?? 'default',
  MODELS: ({ models, serves }) => `${serves.length}${models === 'all' ? ' (all)' : ''}`,
  CREDENTIAL: ({ credentialEnd }) => ending(credentialEnd),
  SOURCE: 'from',
  STATUS: ({ disabled, health }) => (disabled ? 'disabled' : health.state),
})

export const upstream = factsOf<Upstream>({
  Upstream: 'name',
  Provider: 'provider',
  URL: ({ url }) => url ?? 'default',
  Models: ({ name, serves }) =>
    serves.length === 0 ? `none yet (see tollgate upstreams models ${name})` : serves.join(', '),
  Status: ({ disabled }) => (disabled ? 'disabled' : 'enabled'),
})

const statusTable = tableOf<OfferStatus & { readonly upstream: string }>('No models at any upstream.\n', {
  UPSTREAM: 'upstream',
  'MODEL THERE': 'upstreamModel',
  STATE: offerState,
  '>REQUESTS': 'requests',
  '>ERRORS': percentage,
  '>TTFB P50': ({ firstByteP50Ms }) => milliseconds(firstByteP50Ms),
  '>TTFB P95': ({ firstByteP95Ms }) => milliseconds(firstByteP95Ms),
  '>COST USD': 'cost',
})

export function upstreamStatus({ upstreams: all, period, since }: UpstreamStatus): string {
  const rows = all.flatMap(({ upstream: name, offers }) =>
    offers.map((offer) => ({ ...offer, upstream: name })),
  )
  const table = statusTable(rows)
  if (rows.length === 0) return table
  const more = all
    .filter(({ total, offers }) => total > offers.length)
    .map(
      ({ upstream: name, total, offers }) =>
        `${name}: ${total - offers.length} more models (use --upstream and --limit)\n`,
    )
  return `${table}${more.join('')}Last ${period}, since ${since} at the earliest. Time to first byte: streamed responses.\n`
}

function offerState({ state, until, testCase }: OfferStatus): string {
  if (testCase && state !== 'disabled') return 'test case'
  return until === null ? state : `${state} until ${until}`
}

export function upstreamSwitched(output: OperationOutput<'upstreams.disable'>): string {
  const { upstream: name, upstreamModel, disabled } = output
  const what = upstreamModel === null ? name : `${upstreamModel} at ${name}`
  return `${disabled ? 'Disabled' : 'Enabled'} ${what}.\n`
}

const testWords: Readonly<Record<CredentialTest['state'], string>> = {
  accepted: 'accepted by the provider',
  rejected: 'rejected by the provider',
  untested: 'not tested: the provider responds without checking it',
  unreachable: 'not tested',
}

type Facts = readonly (readonly [label: string, value: string])[]

function testText(of: Facts, { state, problem, hostMessage }: CredentialTest, found: Facts = []): string {
  return labeled([
    ...of,
    ['API key', testWords[state]],
    ...found,
    ...(problem === null ? [] : [['Problem', problem] as const]),
    ...(hostMessage === null ? [] : [['Provider says', hostMessage] as const]),
  ])
}

export function upstreamTest({
  upstream: name,
  models,
  paths,
  ...result
}: OperationOutput<'upstreams.test'>) {
  const missing = (status: number | null) => ` is missing (HTTP ${status ?? ''})`
  return testText([['Upstream', name]], result, [
    ['Models', String(models)],
    ...paths.map(
      ({ url, state, status }) =>
        ['Path', `POST ${url}${state === 'missing' ? missing(status) : ''}`] as const,
    ),
  ])
}

export const providerKeyTest = ({ provider, ...result }: OperationOutput<'provider-keys.test'>): string =>
  testText([['Provider', provider]], result)

export function providerKeys({ allowed, keys }: OperationOutput<'provider-keys.list'>): string {
  return tableOf<(typeof keys)[number]>('No provider keys.\n', {
    PROVIDER: 'provider',
    KEY: ({ credentialEnd }) => ending(credentialEnd),
    USE: 'use',
    '>MODELS': 'models',
    STATUS: ({ state }) => (allowed ? state : 'not enabled'),
  })(keys)
}

export const providerKey = factsOf<OperationOutput<'provider-keys.put'>>({
  Provider: 'name',
  URL: 'url',
  Use: 'use',
  Models: 'models',
})

const hostModels = tableOf<OperationOutput<'upstreams.models'>['models'][number]>(null, {
  'UPSTREAM MODEL': 'upstreamModel',
  MODEL: 'model',
  ENABLED: ({ offered }) => (offered ? 'yes' : 'no'),
  '>INPUT': 'input',
  '>OUTPUT': 'output',
})

export function upstreamModels({ problem, models }: OperationOutput<'upstreams.models'>): string {
  return problem === null ? hostModels(models) : `${problem}\n`
}

const lossTable = tableOf<OperationOutput<'losses.list'>['accounts'][number]>('', {
  ACCOUNT: 'account',
  EMAIL: 'email',
  '>WRITTEN OFF': 'writtenOff',
  '>REQUESTS': 'requests',
  RESTRICTED: 'restricted',
})

export function losses({ accounts, total }: OperationOutput<'losses.list'>): string {
  return `${lossTable(accounts)}${accounts.length === 0 ? '' : '\n'}Total: ${total} USD\n`
}

export const members = tableOf<OperationOutput<'members.list'>[number]>('No unknown fields or betas.\n', {
  FORMAT: 'format',
  MEMBER: 'member',
  SINCE: 'since',
  ACCOUNT: 'account',
  REJECTED: ({ rejected }) => (rejected ? 'yes' : 'no'),
})

export const audit = tableOf<OperationOutput<'audit.list'>[number]>('No audit entries.\n', {
  TIME: 'at',
  ACTOR: 'actor',
  OPERATION: 'operation',
  ACCOUNT: 'account',
  OUTCOME: 'outcome',
})

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
