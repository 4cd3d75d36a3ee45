/**
 * Applies a format's table of fields that can change what a provider charges: which values are
 * harmless, which need a price of their own, which are refused. Must not know any price.
 */
import { type PricedOption, WireError } from './codec.ts'
import { isGiven, string } from './fields.ts'
import type { Json } from './json.ts'

/**
 * What a field's value means for the price. `free`: nothing, whatever it is. `values`: a string;
 * those in `free` mean nothing, any other is the option `name:value`. `each`: the same for every
 * string of an array. `option`: anything but null, false and [] is the option `name`. `refused`: the
 * same, never forwarded. `reference`: anything but null names state that is kept upstream.
 */
export type PriceRule =
  | { readonly rule: 'free' }
  | { readonly rule: 'values' | 'each'; readonly name: string; readonly free: readonly string[] }
  | { readonly rule: 'option'; readonly name: string }
  | { readonly rule: 'refused'; readonly why: string }
  | { readonly rule: 'reference' }

/** A rule, and the page of the provider that it was read from. */
export type PriceField = PriceRule & { readonly source: string }

const optionCharactersMax = 64

/**
 * The options that the given fields of one object switch on.
 * Throws WireError `unpriced_option`, `reference_not_owned` or `invalid_value`, naming the field.
 */
export function pricedOptions<Name extends string>(
  json: Json,
  values: Readonly<Record<NoInfer<Name>, number>>,
  table: Readonly<Record<Name, PriceField>>,
): readonly PricedOption[] {
  const options: PricedOption[] = []
  for (const name in table) {
    const value = values[name]
    if (isGiven(json, value)) options.push(...optionsOf(json, value, table[name]))
  }
  return options
}

function optionsOf(json: Json, value: number, field: PriceField): readonly PricedOption[] {
  switch (field.rule) {
    case 'free':
      return []
    case 'values':
      return named(json, value, field)
    case 'each':
      return json.kind(value) === 'array'
        ? json.children(value).flatMap((element) => named(json, element, field))
        : named(json, value, field)
    case 'option':
      return isOff(json, value) ? [] : [{ name: field.name, pointer: json.pointer(value) }]
    case 'refused':
      if (isOff(json, value)) return []
      throw unpriced(json, value, field.why)
    case 'reference':
      throw notOwned(json, value)
  }
}

function named(
  json: Json,
  value: number,
  { name, free }: { readonly name: string; readonly free: readonly string[] },
): readonly PricedOption[] {
  const written = string(json, value)
  if (free.includes(written)) return []
  const pointer = json.pointer(value)
  if (written.length > optionCharactersMax) {
    throw new WireError('invalid_value', `${pointer}: no such value.`, pointer)
  }
  return [{ name: `${name}:${written}`, pointer }]
}

/** An option that is written down only to switch it off. */
function isOff(json: Json, value: number): boolean {
  const kind = json.kind(value)
  return kind === 'false' || (kind === 'array' && json.children(value).length === 0)
}

/** The refusal of something that no price row can price. */
export function unpriced(json: Json, value: number, why: string): WireError {
  const pointer = json.pointer(value)
  return new WireError('unpriced_option', `${pointer}: ${why}`, pointer)
}

/** The refusal of a reference to state that is kept upstream. */
export function notOwned(json: Json, value: number): WireError {
  const pointer = json.pointer(value)
  return new WireError(
    'reference_not_owned',
    `${pointer}: state kept at the provider cannot be referred to here; send the content itself.`,
    pointer,
  )
}
