/**
 * Takes secrets out of texts of upstreams, which may repeat them whole or in part, plain or encoded. Pure.
 */
import { secretParts } from './secret-fields.ts'

/** Runs of this many characters of a secret are hidden. */
const runCharacters = 12
/** Vendors' key prefixes, which are public. */
const vendorPrefix = /^(?:(?:[a-z]{1,8}\d{0,2}[-_]){1,3}(?:v\d[-_])?|AIza|AKIA|ASIA)(?=.{12})/
const pemFrame = /-----[A-Z ]+-----/g
/** The beginning of every RSA key in PKCS #8: its version and algorithm. */
const keyHeader = /^MII[\w+/]{1,4}IBADANBgkqhkiG9w0BAQEFAASC/

/** Removes a credential and other secrets from text, with the text around each run of their random parts. */
export function withoutSecrets(text: string, credential: string, others: readonly string[] = []): string {
  const secrets = [...secretParts(credential), ...others]
  const shown = secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text)
  return withoutRuns(shown, runsOf(secrets))
}

/** Runs of characters that are not shown, and a coarse index of their ends. */
interface Runs {
  readonly runs: ReadonlySet<string>
  readonly ends: Uint8Array
}

const indexSize = 65_536
const endsOf = (text: string, at: number): number =>
  (text.charCodeAt(at) * 251 + text.charCodeAt(at + runCharacters - 1)) % indexSize

function withoutRuns(text: string, { runs, ends }: Runs): string {
  let shown = ''
  let from = 0
  let hiddenTo = -1
  for (let at = 0; at + runCharacters <= text.length; at += 1) {
    if (ends[endsOf(text, at)] === 0 || !runs.has(text.slice(at, at + runCharacters))) continue
    if (at > hiddenTo) shown += `${text.slice(from, at)}…`
    hiddenTo = at + runCharacters
    from = hiddenTo
  }
  return from === 0 ? text : shown + text.slice(from)
}

const remembered = new Map<string, Runs>()
const rememberedMax = 64

/** Cached runs of recent credentials: a private key has some ten thousand. */
function runsOf(secrets: readonly string[]): Runs {
  const key = secrets.join('\n')
  const known = remembered.get(key)
  if (known !== undefined) return known
  const found = { runs: new Set<string>(), ends: new Uint8Array(indexSize) }
  for (const secret of secrets) {
    for (const part of randomParts(secret)) for (const form of formsOf(part)) addRuns(form, found)
  }
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(key, found)
  return found
}

function addRuns(
  form: string,
  { runs, ends }: { readonly runs: Set<string>; readonly ends: Uint8Array },
): void {
  for (let at = 0; at + runCharacters <= form.length; at += 1) {
    runs.add(form.slice(at, at + runCharacters))
    ends[endsOf(form, at)] = 1
  }
}

/** The lines of a PEM file are repeated with line breaks of any kind. */
function randomParts(secret: string): readonly string[] {
  return secret
    .replace(pemFrame, '')
    .split(/\s+/)
    .map((part) => part.replace(vendorPrefix, '').replace(keyHeader, ''))
    .filter(({ length }) => length >= runCharacters)
}

/** Forms of a secret: plain, in a URL, in JSON that escapes slashes, and in base64 at each alignment. */
function formsOf(part: string): readonly string[] {
  const inUrl = encodeURIComponent(part)
  const base64 = [0, 1, 2].map((from) => Buffer.from(part.slice(from)).toString('base64').replace(/=+$/, ''))
  return [
    part,
    inUrl,
    inUrl.replace(/%../g, (code) => code.toLowerCase()),
    part.replaceAll('/', '\\/'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}
