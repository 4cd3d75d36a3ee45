/** The draft of an upstream's form and the input made from it. Pure. */
import type { OperationAsk } from '@/lib/api'

export interface UpstreamDraft {
  readonly name: string
  readonly provider: string
  readonly url: string
  readonly credential: string
  readonly weight: string
  readonly disabled: boolean
  /** '' means not chosen yet; at the provider's own address it means all. */
  readonly choice: '' | 'all' | 'list'
  /** One model per line: its name, or `name = host name`. */
  readonly list: string
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
export function withModel(text: string, name: string, isWanted: boolean): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && nameAtHost(line) !== name)
  return [...lines, ...(isWanted ? [name] : [])].join('\n')
}

/** The host names of all lines. */
export function namesAtHost(text: string): ReadonlySet<string> {
  return new Set(text.split('\n').map(nameAtHost))
}

function nameAtHost(line: string): string {
  return line.slice(line.indexOf('=') + 1).trim()
}

/**
 * What changes in a draft with its address or provider: a choice of all models was made for the provider's own address, or
 * for another provider, so a host needs a new one.
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
  const { name, url, credential, choice, list } = draft
  if (name.trim() === '' || (needsCredential && credential.trim() === '')) return false
  if (choice === 'list') return (listedModels(list)?.length ?? 0) > 0
  return choice === 'all' || url.trim() === ''
}

export function askOf(draft: UpstreamDraft): OperationAsk<'upstreams.put'> {
  const { name, provider, url, credential, weight, disabled, choice, list } = draft
  const models = choice === 'list' ? listedModels(list) : choice === 'all' ? 'all' : undefined
  return {
    upstream: name.trim(),
    provider,
    ...(url.trim() === '' ? {} : { url: url.trim() }),
    ...(credential.trim() === '' ? {} : { credential: credential.trim() }),
    weight: Number(weight),
    disabled,
    ...(models === undefined || models.length === 0 ? {} : { models }),
  }
}

/** Normalizes a trailing slash. */
export function plainUrl(text: string): string {
  return text.trim().replace(/\/+$/, '')
}
