/**
 * The connector of a custom server: the row of its kind, with the operator's formats and headers. It
 * has the upstream's name as its provider, so that no two of them share models.
 */
import { type CustomHost, customHosts } from '../../../contract/custom-hosts.ts'
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import { upstreamFormats } from '../../wire/formats.ts'
import { withoutUsageOption } from '../../wire/host-differences.ts'
import type { ErrorRule } from '../classify.ts'
import type { Connector } from '../connector.ts'
import { versionedBase } from '../outgoing-request.ts'
import { customHostRows } from './custom-hosts-table.ts'
import { connectorOfRow } from './host-connector.ts'
import type { Authentication, HostRow } from './host-row.ts'

/** `provider`: the upstream's name. */
export function customConnector(provider: string, host: CustomHost): Connector {
  const { kind, formats, keyHeader, headers } = host
  const authentication: Authentication = keyHeader === 'authorization' ? 'bearer' : { header: keyHeader }
  const row: HostRow = {
    ...customHostRows[kind],
    errors: [...(customHostRows[kind].errors ?? []), rejectsUsageOption],
    // The address is always the upstream's own.
    origin: customHosts[kind].url ?? 'http://127.0.0.1',
    prefixes: ofEach(formats, ''),
    authentication: ofEach(formats, authentication),
  }
  const connector = connectorOfRow(row, {
    provider,
    displayName: provider,
    fixedHeaders: Object.entries(headers).flat(),
    pathPrefix,
    forwardsQuery: true,
  })
  const custom = {
    ...connector,
    isCustom: true as const,
    requestDifferences: connector.requestDifferences ?? {},
    stopAskingForUsage(): void {
      custom.requestDifferences = withoutUsageOption(custom.requestDifferences)
    },
  }
  return custom
}

/** Servers that are older than the option, or check strictly, reject it. */
const rejectsUsageOption: ErrorRule = {
  statuses: [400, 422],
  mentions: 'stream_options',
  meaning: 'usage_option',
}

function ofEach<Value>(
  formats: readonly UpstreamFormatName[],
  value: Value,
): Readonly<Partial<Record<UpstreamFormatName, Value>>> {
  return Object.fromEntries(formats.map((format) => [format, value])) as Partial<
    Record<UpstreamFormatName, Value>
  >
}

/** The path for a format. An address serves all: a version at its end that belongs to another format is replaced. */
function pathPrefix(format: UpstreamFormatName, basePath: string): string {
  const { version } = upstreamFormats[format].paths
  const ending = vendorVersions.find((known) => basePath.endsWith(known))
  return ending === undefined ? versionedBase(format, basePath) : basePath.slice(0, -ending.length) + version
}

const vendorVersions = Object.values(upstreamFormats).map(({ paths }) => paths.version)
