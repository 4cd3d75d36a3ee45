/**
 * Form of an API key: `sk-tg-` + 6 characters of its account + 11 of its id + `-` + 28 of secret +
 * 6 of checksum, all base62. Pure; the checksum detects a mistyped or truncated key without a lookup.
 */
import { crc32 } from 'node:zlib'
import { assert } from '../base/assert.ts'
import type { RandomBytes } from '../base/ids.ts'

const brand = 'sk-tg-'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = BigInt(digits.length)
const accountDigits = 6
const idDigits = 11
/** 28 × log2(62) = 166 bits. */
const secretDigits = 28
const checksumDigits = 6
/** More bits than the secret has, so that no secret is likelier than another by more than 2^-89. */
const secretBytes = 32

const form = new RegExp(
  `^(${brand}[0-9A-Za-z]{${accountDigits}}([0-9A-Za-z]{${idDigits}}))-[0-9A-Za-z]{${secretDigits}}([0-9A-Za-z]{${checksumDigits}})$`,
)
const keyCharacters = brand.length + accountDigits + idDigits + 1 + secretDigits + checksumDigits

export interface NewKeyText {
  /** The whole key: shown once, stored nowhere. */
  readonly key: string
  /** The public prefix: identifies account and key, and does not help to guess the rest. */
  readonly label: string
}

/** Keys of the control plane begin so; no API key can. */
const managementBrand = 'sk-tgm-'
const managementForm = new RegExp(
  `^${managementBrand}[0-9A-Za-z]{${idDigits}}-[0-9A-Za-z]{${secretDigits}}([0-9A-Za-z]{${checksumDigits}})$`,
)

/** Makes the text of a key of the control plane: `sk-tgm-` + its id + `-` + secret and checksum as above. */
export function makeManagementKey(id: bigint, random: RandomBytes): NewKeyText {
  return withSecret(`${managementBrand}${base62(id, idDigits)}`, random)
}

/** Whether it is such a key by its form, the checksum included. */
export function isManagementKey(text: string): boolean {
  const [, given] = managementForm.exec(text) ?? []
  return given !== undefined && checksum(text.slice(0, -checksumDigits)) === given
}

/** Makes the text of a key with `id`, for `account`. */
export function makeKey(account: bigint, id: bigint, random: RandomBytes): NewKeyText {
  return withSecret(`${brand}${accountPrefix(account)}${base62(id, idDigits)}`, random)
}

function withSecret(label: string, random: RandomBytes): NewKeyText {
  const drawn = BigInt(`0x${Buffer.from(random(secretBytes)).toString('hex')}`)
  const unchecked = `${label}-${base62(drawn % base ** BigInt(secretDigits), secretDigits)}`
  return { key: unchecked + checksum(unchecked), label }
}

/** Parses a key; undefined for any other string, a wrong checksum included. */
export function readKey(text: string): { readonly id: bigint; readonly label: string } | undefined {
  if (text.length !== keyCharacters) return undefined
  const [, label = '', id = '', given] = form.exec(text) ?? []
  if (given === undefined || checksum(text.slice(0, -checksumDigits)) !== given) return undefined
  return { id: fromBase62(id), label }
}

/** The same for all keys of an account, so that a leaked key can be attributed by eye. */
function accountPrefix(account: bigint): string {
  return base62(BigInt(crc32(account.toString())), accountDigits)
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), checksumDigits)
}

function base62(value: bigint, places: number): string {
  let text = ''
  for (let left = value, place = 0; place < places; place += 1, left /= base) {
    text = digits[Number(left % base)] + text
  }
  assert(value >= 0n && value < base ** BigInt(places), `${places} digits hold the value`)
  return text
}

function fromBase62(text: string): bigint {
  let value = 0n
  for (const digit of text) value = value * base + BigInt(digits.indexOf(digit))
  return value
}
