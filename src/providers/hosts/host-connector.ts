/**
 * A row of `hosts-table.ts` as the connector that the rest of the program knows. It reads rows and knows no host. What bounds
 * money is the widest of all makers, since a host serves models of any.
 */
import { endpointRow } from '../../../contract/endpoints.ts'
import { type HostName, hostVariables } from '../../../contract/hosts.ts'
import { secretFields } from '../../base/secret-fields.ts'
import { isUpstreamCountingFormat, type UpstreamCountingFormat } from '../../wire/counting.ts'
import type { Media } from '../../wire/format.ts'
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import { classifyAnswer } from '../classify.ts'
import { azure } from '../clouds/azure.ts'
import { bedrock } from '../clouds/bedrock.ts'
import { type CloudName, type CredentialForm, clouds } from '../clouds/clouds-table.ts'
import { vertex } from '../clouds/vertex.ts'
import type { Connector, OutgoingRequest } from '../connector.ts'
import { anonymousHeaders, hasAddress, headerOf, pathBelow, versionedBase } from '../outgoing-request.ts'
import type { Authorizer } from '../send-types.ts'
import { serverToolsFrom } from '../server-tools.ts'
import { betaHeader } from './host-betas.ts'
import { hostedCapabilities } from './host-models-table.ts'
import type { Authentication, HostRow } from './host-row.ts'
import { hosts } from './hosts-table.ts'

const cloudRows: Readonly<Record<CloudName, HostRow>> = { azure, bedrock, vertex }

/** Every host of the tables, as a connector. */
export const hostConnectors: readonly Connector[] = [
  ...Object.entries(hosts).map(([provider, row]) =>
    connectorOfRow(row, { provider, displayName: hostVariables[provider as HostName].displayName }),
  ),
  ...Object.entries(cloudRows).map(([provider, row]) =>
    connectorOfRow(row, { provider, ...clouds[provider as CloudName] }),
  ),
]

/** The most expensive image of any vendor: 10,000 patches at a factor of 2.46, see openai.ts. */
const pictureTokensMax = 24_600
const pageTextTokens = 3_000

/** Facts about a host that are not in its row. */
export interface HostIdentity {
  readonly provider: string
  readonly displayName: string
  /** Example of a customer's address, where each customer has one. */
  readonly addressExample?: string
  readonly credentialForms?: readonly CredentialForm[]
  /** Sent with each request. */
  readonly fixedHeaders?: readonly string[]
  /** The caller's query is forwarded as to the format's vendor; left out: it chooses versions of the host, and is not. */
  readonly forwardsQuery?: true
  /** The prefix of a format's paths below an address; absent: the row's. */
  readonly pathPrefix?: (format: UpstreamFormatName, basePath: string) => string
}

export function connectorOfRow(row: HostRow, identity: HostIdentity): Connector {
  const { provider, displayName, addressExample, credentialForms, fixedHeaders = [] } = identity
  const prefixes = new Map(Object.entries(row.prefixes) as [UpstreamFormatName, string][])
  const pathPrefix = identity.pathPrefix ?? prefixFor(row, prefixes)
  return {
    provider,
    displayName,
    families: [`${provider}/`],
    namesModelsBelow: `${provider}/`,
    defaultOrigin: row.origin,
    ...(addressExample === undefined ? {} : { addressExample }),
    ...(credentialForms === undefined ? {} : { credentialForms }),
    formats: [...prefixes.keys()] as unknown as Connector['formats'],
    pathPrefix,
    ...(row.addressMistake === undefined ? {} : { addressMistake: row.addressMistake }),
    ...(row.formatsOf === undefined ? {} : { formatsOf: row.formatsOf }),
    ...(row.modelList === undefined ? {} : { modelListPath: row.modelList }),
    ...(row.counting === undefined ? {} : { countingShapes: shapesOf(row.counting) }),
    ...(row.requests === undefined ? {} : { requestDifferences: row.requests }),
    prepare: (asked) => {
      const outgoing = identity.forwardsQuery === true ? asked : { ...asked, query: '' }
      const path = pathAt(row, pathPrefix(outgoing.format, outgoing.basePath), outgoing)
      const authorizer = authorizerOf(row, outgoing.credential)
      const credential =
        authorizer === undefined
          ? credentialHeaders(row.authentication?.[outgoing.format] ?? 'bearer', outgoing.credential)
          : []
      return { path, headers: [...hostHeaders(outgoing, row), ...credential, ...fixedHeaders], authorizer }
    },
    classify: (status, headers, problem) => classifyAnswer(row.errors ?? [], status, headers, problem),
    offers: (operation, format) =>
      (operation === 'count_tokens'
        ? countingOf(row, format) !== undefined
        : endpointRow(operation).vendorOnly !== true) &&
      prefixes.has(format) &&
      hasAddress(operation, format),
    betas: row.betas ?? {},
    capabilities: (upstreamModel) => ({ ...hostedCapabilities(upstreamModel), ...row.capabilities }),
    requestIdHeader: row.requestIdHeader ?? 'x-request-id',
    onCancel: row.onCancel ?? 'bills_on',
    hiddenInputTokens: 1_024,
    mediaTokensMax: ({ kind }: Media) => (kind === 'image' ? pictureTokensMax : 'window'),
    page: () => ({ tokensMax: pictureTokensMax + pageTextTokens, pagesMax: Number.POSITIVE_INFINITY }),
    serverTool: serverToolsFrom({}, { tokensPerUse: 15_000, uncappedUses: null }),
    // The widest of the makers that have a connector of their own.
    tokenFactor: { numerator: 27, denominator: 20 },
  }
}

/** The prefix of the formats' paths. */
function prefixFor(
  { addressOf }: HostRow,
  prefixes: ReadonlyMap<UpstreamFormatName, string>,
): NonNullable<Connector['pathPrefix']> {
  return (format, basePath) => {
    const own = prefixes.get(format) ?? ''
    if (addressOf !== undefined) return addressOf(basePath) + own
    // The address of any of the host's formats is the host.
    const isOwn = basePath === '' || [...prefixes.values()].includes(basePath)
    return isOwn ? own : versionedBase(format, basePath)
  }
}

function pathAt(row: HostRow, prefix: string, outgoing: OutgoingRequest): string {
  const { format, operation, streamed } = outgoing
  // Google writes versions of models with `@`, which needs no escape in a path.
  const model = encodeURIComponent(outgoing.model).replaceAll('%40', '@')
  if (operation === 'count_tokens')
    return countingOf(row, format)?.path?.({ prefix, model }) ?? pathBelow(prefix, outgoing)
  const modelPath = row.modelPaths?.[format]
  return modelPath === undefined ? pathBelow(prefix, outgoing) : prefix + modelPath({ model, streamed })
}

type Counting = NonNullable<HostRow['counting']>

function countingOf({ counting }: HostRow, format: UpstreamFormatName): Counting[UpstreamCountingFormat] {
  return isUpstreamCountingFormat(format) ? counting?.[format] : undefined
}

function shapesOf(counting: Counting): NonNullable<Connector['countingShapes']> {
  return Object.fromEntries(Object.entries(counting).map(([format, { shape }]) => [format, shape]))
}

/** Undefined: the credential is sent as it is. */
function authorizerOf({ authorizer }: HostRow, credential: string): Authorizer | undefined {
  const fields = authorizer === undefined ? null : secretFields(credential)
  return fields === null ? undefined : authorizer?.(credential, fields)
}

/** Omits the header where there is no key: some servers reject an empty one. */
function credentialHeaders(authentication: Authentication, credential: string): readonly string[] {
  if (credential === '') return []
  return authentication === 'bearer'
    ? ['authorization', `Bearer ${credential}`]
    : [authentication.header, credential]
}

/** Versions that a format demands: the header, its name in a body, and the one that every host knows. */
const formatVersions: Readonly<
  Partial<
    Record<UpstreamFormatName, { readonly header: string; readonly member: string; readonly usual: string }>
  >
> = {
  anthropic: { header: 'anthropic-version', member: 'anthropic_version', usual: '2023-06-01' },
}

/** No other header of the caller travels: headers choose prices and say who the customers are. */
function hostHeaders(outgoing: OutgoingRequest, row: HostRow): string[] {
  const { requests, messagesVersions = [] } = row
  const headers = anonymousHeaders(outgoing)
  headers.push(...betaHeader(outgoing, row.betas ?? {}))
  const version = formatVersions[outgoing.format]
  // A host that has the version in the body has no such header.
  if (version === undefined || requests?.[outgoing.format]?.adds?.[version.member] !== undefined)
    return headers
  const asked = headerOf(outgoing, version.header)
  const isKnown = asked !== undefined && messagesVersions.includes(asked)
  return [...headers, version.header, isKnown ? asked : version.usual]
}
