/**
 * Applies a format's table of fields that can change what a provider charges: which values are
 * harmless, which need their own price, which are rejected. Must not know any price.
 */
import { type PricedOption, WireError } from './format.ts'
import { isGiven, string } from './json/fields.ts'
import type { Json } from './json/json.ts'

/**
 * How a field's value affects the price. `free`: never. `values`: a string;
 * those in `free` mean nothing, any other is the option `name:value`. `each`: the same for every
 * string of an array. `option`: anything but null, false and [] is the option `name`. `rejected`: the
 * same, never forwarded. `own`: for this server, taken out of the body. `reference`: anything but null names state stored upstream. `tool`: anything
 * but null, false and [] declares tools that the provider runs, counted by `meter`; its format reads it.
 */
export type PriceRule =
  | { readonly rule: 'free' | 'own' }
  | { readonly rule: 'values' | 'each'; readonly name: string; readonly free: readonly string[] }
  | { readonly rule: 'option'; readonly name: string }
  | { readonly rule: 'rejected'; readonly why: string }
  | { readonly rule: 'reference' }
  | { readonly rule: 'tool'; readonly meter: string }

/** A rule, and the page of the provider that it was read from. */
export type PriceField = PriceRule & { readonly source: string }

/** A proxy behind the operator's upstream would serve another model, or ask another host, than the one that is charged. */
const proxied = {
  rule: 'rejected',
  why: 'this server decides which model and which host serve a request. Remove the field.',
  source: 'https://docs.litellm.ai/docs/proxy/reliability',
} as const

/** Fields of routers over several hosts, in every format: the host, fallback models, added searches. */
export const routerPriceFields = {
  provider: {
    rule: 'option',
    name: 'provider',
    source: 'https://openrouter.ai/docs/guides/routing/provider-selection',
  },
  route: {
    rule: 'option',
    name: 'route',
    source: 'https://openrouter.ai/docs/guides/routing/model-fallbacks',
  },
  /** Read by `fallbackModels`, and taken out of the body. */
  models: { rule: 'own', source: 'https://openrouter.ai/docs/guides/routing/model-fallbacks' },
  plugins: { rule: 'option', name: 'plugins', source: 'https://openrouter.ai/docs/guides/features/plugins' },
  fallbacks: proxied,
  context_window_fallbacks: proxied,
  content_policy_fallbacks: proxied,
  mock_response: proxied,
  mock_timeout: proxied,
  mock_testing_fallbacks: proxied,
  mock_testing_context_fallbacks: proxied,
  mock_testing_content_policy_fallbacks: proxied,
  api_base: proxied,
  base_url: proxied,
  api_key: proxied,
  api_version: proxied,
  deployment_id: proxied,
  custom_llm_provider: proxied,
  model_list: proxied,
  user_config: proxied,
  litellm_credential_name: proxied,
} as const satisfies Readonly<Record<string, PriceField>>

const optionCharactersMax = 64
/** A body that switches on more is hostile: each is looked up and reported with its position. */
const optionsMax = 16

/** Gathers the options of one body, each name once, with the first place that switches it on. */
export class PricedOptions {
  private readonly json: Json
  private readonly byName = new Map<string, PricedOption>()

  constructor(json: Json) {
    this.json = json
  }

  get list(): readonly PricedOption[] {
    return [...this.byName.values()]
  }

  /**
   * Reads the given fields of one object.
   * Throws WireError `unpriced_option`, `reference_not_owned` or `invalid_value`, naming the field.
   */
  read<Name extends string>(
    values: Readonly<Record<NoInfer<Name>, number>>,
    table: Readonly<Record<Name, PriceField>>,
  ): void {
    for (const name in table) {
      const value = values[name]
      if (isGiven(this.json, value)) this.readField(value, table[name])
    }
  }

  /** Notes that `value` switches the option on. */
  add(name: string, value: number): void {
    if (this.byName.has(name)) return
    const pointer = this.json.pointer(value)
    if (name.length > optionCharactersMax || this.byName.size === optionsMax) {
      throw new WireError('invalid_value', `${pointer}: unsupported value, or too many values.`, pointer)
    }
    this.byName.set(name, { name, pointer })
  }

  private readField(value: number, field: PriceField): void {
    const { json } = this
    switch (field.rule) {
      case 'free':
      case 'own':
      case 'tool':
        return
      case 'each':
        if (json.kind(value) !== 'array') return this.readValue(value, field)
        for (const element of json.children(value)) this.readValue(element, field)
        return
      case 'values':
        return this.readValue(value, field)
      case 'option':
        if (!isOff(json, value)) this.add(field.name, value)
        return
      case 'rejected':
        if (isOff(json, value)) return
        throw unpriced(json, value, field.why)
      case 'reference':
        throw notOwned(json, value)
    }
  }

  private readValue(value: number, field: { readonly name: string; readonly free: readonly string[] }): void {
    const written = string(this.json, value)
    if (!field.free.includes(written)) this.add(`${field.name}:${written}`, value)
  }
}

/** An option that is written down only to switch it off. */
export function isOff(json: Json, value: number): boolean {
  const kind = json.kind(value)
  return kind === 'false' || (kind === 'array' && json.next(value) === value + 1)
}

/** The rejection of something that no price row can price. */
export function unpriced(json: Json, value: number, why: string): WireError {
  const pointer = json.pointer(value)
  return new WireError('unpriced_option', `${pointer}: ${why}`, pointer)
}

/** The rejection of a reference to state stored upstream. */
export function notOwned(json: Json, value: number): WireError {
  const pointer = json.pointer(value)
  return new WireError(
    'reference_not_owned',
    `${pointer}: objects stored at the provider cannot be referenced here; send the content itself.`,
    pointer,
  )
}
