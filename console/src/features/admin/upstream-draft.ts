/** The draft of an upstream's form and the input made from it. Pure. */

import type { OperationAsk, OperationOutput } from '@/lib/api'
import { customHosts, isCustomHost } from '../../../../contract/custom-hosts.ts'
import type { FormatName } from '../../../../contract/formats.ts'
import { cloudAddress, isHost } from './providers.ts'

export interface UpstreamDraft {
  readonly name: string
  readonly provider: string
  readonly url: string
  readonly credential: string
  readonly weight: string
  readonly disabled: boolean
  /** Separated by commas or spaces. */
  readonly tags: string
  /** Empty: no limit, as are the next two. */
  readonly concurrent: string
  readonly requestsPerMinute: string
  readonly tokensPerMinute: string
  /** '' means not chosen yet; at the provider's own address it means all. */
  readonly choice: '' | 'all' | 'list'
  /** Lines of `name` or `name = host name`. */
  readonly list: string
  /** For custom hosts only, as are the next two. */
  readonly formats: readonly FormatName[]
  readonly keyHeader: string
  /** Lines of `name: value`. */
  readonly headers: string
}

type Upstream = OperationOutput<'upstreams.list'>[number]

/** An empty draft for a new upstream of a provider. */
export function newDraft(provider: string, names: readonly string[]): UpstreamDraft {
  const custom = isCustomHost(provider) ? customHosts[provider] : undefined
  const free = [provider, ...names.map((_, index) => `${provider}-${index + 2}`)]
  return {
    name: provider === 'custom' ? '' : (free.find((name) => !names.includes(name)) ?? ''),
    provider,
    url: custom?.url ?? '',
    credential: '',
    weight: '1',
    disabled: false,
    ...{ tags: '', concurrent: '', requestsPerMinute: '', tokensPerMinute: '' },
    choice: 'list',
    list: '',
    formats: custom?.formats ?? [],
    keyHeader: 'authorization',
    headers: '',
  }
}

/** An upstream as it is. */
export function draftOf({ models, custom, tags, limits, ...upstream }: Upstream): UpstreamDraft {
  const { name, provider, url, weight, disabled } = upstream
  return {
    tags: (tags ?? []).join(', '),
    concurrent: String(limits?.concurrent ?? ''),
    requestsPerMinute: String(limits?.requestsPerMinute ?? ''),
    tokensPerMinute: String(limits?.tokensPerMinute ?? ''),
    ...{ name, provider, url: url ?? '', credential: '', weight: String(weight), disabled },
    choice: custom !== null ? 'list' : models === null ? '' : models === 'all' ? 'all' : 'list',
    // Each model has its own switch.
    list: custom !== null || models === null || models === 'all' ? '' : listText(models),
    formats: custom?.formats ?? [],
    keyHeader: custom?.keyHeader ?? 'authorization',
    headers: '',
  }
}

/** The headers of lines; undefined: a line is invalid. */
export function headersOf(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const parts = lines.map((line) => /^\s*([^\s:]+)\s*:\s*(\S.*?)\s*$/.exec(line))
  if (parts.some((match) => match === null)) return undefined
  return Object.fromEntries(parts.map((match) => [match?.[1] ?? '', match?.[2] ?? '']))
}

/** The models of a list by their public names. */
export function chosenModels(draft: UpstreamDraft): Listed {
  return draft.choice === 'list' ? (listedModels(draft.list) ?? []) : []
}

type Listed = Exclude<NonNullable<OperationAsk<'upstreams.put'>['models']>, 'all'>

/** The models of a list; undefined: a line is invalid. */
export function listedModels(text: string): Listed | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const models = lines.map((line) => /^([^\s=]+)(?:\s*=\s*(\S+))?$/.exec(line))
  if (models.some((match) => match === null)) return undefined
  return models.map((match) => {
    const [, model = '', upstreamModel] = match ?? []
    return upstreamModel === undefined ? { model } : { model, upstreamModel }
  })
}

/** The list as text. */
export function listText(models: Listed): string {
  return models
    .map(({ model, upstreamModel }) => (upstreamModel === undefined ? model : `${model} = ${upstreamModel}`))
    .join('\n')
}

/** Adds a model by its host name, or removes it; other lines stay. */
export function withModel(text: string, name: string, wanted: { readonly as: string } | undefined): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && nameAtHost(line) !== name)
  const line = wanted === undefined || wanted.as === name ? name : `${wanted.as} = ${name}`
  return [...lines, ...(wanted === undefined ? [] : [line])].join('\n')
}

/** The host names of all lines. */
export function namesAtHost(text: string): ReadonlySet<string> {
  return new Set(text.split('\n').map(nameAtHost))
}

function nameAtHost(line: string): string {
  return line.slice(line.indexOf('=') + 1).trim()
}

/**
 * Applies a new address or provider to a draft. A choice of all models was made for the provider's own address or
 * another provider, so it is reset.
 */
export function moved(
  draft: UpstreamDraft,
  to: Partial<Pick<UpstreamDraft, 'url' | 'provider'>>,
): Partial<UpstreamDraft> {
  const { url = draft.url, provider = draft.provider } = to
  const isHost = url.trim() !== ''
  const wasForHost = draft.url.trim() !== '' && provider === draft.provider
  return isHost && !wasForHost && draft.choice === 'all' ? { ...to, choice: '' } : to
}

/** Whether the form is complete enough to be reviewed. */
export function isWhole(draft: UpstreamDraft, needsCredential: boolean): boolean {
  const { url, choice, list } = draft
  if (missingPart(draft, needsCredential) !== undefined) return false
  if (![draft.concurrent, draft.requestsPerMinute, draft.tokensPerMinute].every(isLimit)) return false
  if (choice === 'list') return listedModels(list) !== undefined
  return choice === 'all' || url.trim() === ''
}

/** The first thing that must be entered or corrected before the provider can be asked; undefined: nothing. */
export function missingPart(draft: UpstreamDraft, needsCredential: boolean): string | undefined {
  const { name, url, credential, provider, formats, headers } = draft
  const isCustom = isCustomHost(provider)
  const needsUrl = isCustom || cloudAddress(provider) !== undefined
  const parts: readonly (readonly [isMissing: boolean, sentence: string])[] = [
    [needsUrl && url.trim() === '', 'Enter the base URL first.'],
    [needsCredential && credential.trim() === '', 'Enter the API key first.'],
    [name.trim() === '', 'Enter a name first.'],
    [nameMistake(name) !== undefined, 'Correct the name first.'],
    [isCustom && formats.length === 0, 'Select at least one API format first.'],
    [isCustom && headersOf(headers) === undefined, 'Correct the headers first.'],
  ]
  return parts.find(([isMissing]) => isMissing)?.[1]
}

/** Error in a name, with the nearest valid one; undefined: none. */
export function nameMistake(name: string): string | undefined {
  const text = name.trim()
  if (text === '' || /^[\w.-]{1,100}$/.test(text)) return undefined
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
  return `Use letters, digits, dots and dashes${slug === '' ? '' : `, such as ${slug}`}.`
}

/** A positive whole number, or empty for none. */
export const isLimit = (text: string): boolean => /^\s*(?:[1-9]\d{0,8})?\s*$/.test(text)

const limitOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** Null: none. */
function tagsOf(text: string): string[] | null {
  const tags = text.split(/[\s,]+/).filter((tag) => tag !== '')
  return tags.length === 0 ? null : tags
}

export function askOf(draft: UpstreamDraft): OperationAsk<'upstreams.put'> {
  const { name, provider, url, credential, weight, disabled, choice, list } = draft
  const models = choice === 'list' ? (listedModels(list) ?? []) : choice === 'all' ? 'all' : undefined
  return {
    upstream: name.trim(),
    provider,
    ...(url.trim() === '' ? {} : { url: url.trim() }),
    ...(credential.trim() === '' ? {} : { credential: credential.trim() }),
    weight: Number(weight),
    disabled,
    tags: tagsOf(draft.tags),
    limits: {
      concurrent: limitOf(draft.concurrent),
      requestsPerMinute: limitOf(draft.requestsPerMinute),
      tokensPerMinute: limitOf(draft.tokensPerMinute),
    },
    ...(isCustomHost(provider) ? customOf(draft) : models === undefined ? {} : { models }),
  }
}

/** Models of a custom host are recognized by their names, which begin with the upstream's. */
function customOf({ formats, keyHeader, headers }: UpstreamDraft) {
  const given = headersOf(headers) ?? {}
  return {
    formats: [...formats],
    auth: { header: keyHeader.trim() },
    ...(Object.keys(given).length === 0 ? {} : { headers: given }),
  }
}

/** Whether a new upstream is called without a key; of a stored one only the server knows. */
export function isKeyless({ provider, credential }: UpstreamDraft, isNew: boolean): boolean {
  return isNew && isCustomHost(provider) && credential.trim() === ''
}

/** Normalizes a trailing slash. */
export function plainUrl(text: string): string {
  return text.trim().replace(/\/+$/, '')
}

/** Default public name of the host's model; only hosts of vendors' models have plain names. */
export function publicName({ provider, name }: UpstreamDraft, upstreamModel: string): string {
  if (isCustomHost(provider)) return `${name.trim()}/${upstreamModel}`
  return isHost(provider) ? `${provider}/${upstreamModel}` : upstreamModel
}
