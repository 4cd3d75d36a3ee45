/**
 * Media as OpenAI's formats write them: a URL that may contain the bytes itself. Must not fetch anything,
 * nor decode the bytes.
 */

import type { View } from '../json/view.ts'
import type { MediaSource } from '../translation/neutral.ts'

/** Names in use that are not the registered ones. */
const registeredTypes: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
}

/**
 * The source that an address names; `data:` URLs in any spelling are decoded. Throws WireError `invalid_value`
 * for a data URL that is broken.
 */
export function addressedSource(value: View): MediaSource {
  const address = (value.isText ? value : (value.get('url') ?? value)).text().trim()
  if (!/^data:/i.test(address)) return { kind: 'url', mediaType: null, url: address }
  const comma = address.indexOf(',')
  if (comma === -1) throw value.invalid('a URL or a data URL')
  const [mediaType = '', ...settings] = address.slice('data:'.length, comma).split(';')
  const isBase64 = settings.some((setting) => setting.trim().toLowerCase() === 'base64')
  const content = address.slice(comma + 1)
  if (isBase64) return base64Source(content, mediaType)
  const text = percentDecoded(content)
  if (text === null || !/^\s*(text\/.*)?$/i.test(mediaType)) throw value.invalid('a base64 data URL')
  return { kind: 'text', text }
}

/** Base64 as it is, or in a data URL; `mediaType` where the text does not say it itself. */
export function embeddedSource(value: View, mediaType: string): MediaSource {
  const text = value.text()
  return /^\s*data:/i.test(text) ? addressedSource(value) : base64Source(text, mediaType)
}

function base64Source(content: string, mediaType: string): MediaSource {
  const lower = mediaType.trim().toLowerCase()
  const registered = Object.hasOwn(registeredTypes, lower) ? (registeredTypes[lower] ?? lower) : lower
  return { kind: 'base64', mediaType: registered, data: content.replace(/\s+/g, '') }
}

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const extensionTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  xml: 'application/xml',
}

/** The media type by the file name's extension; PDF without a known one. */
export function typeOfFile(name: string | null): string {
  const extension = /\.(\w+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(extensionTypes, extension) ? (extensionTypes[extension] ?? '') : 'application/pdf'
}

/** A file's name, with the extension that its type has: without one it would not be taken. */
export function fileName(title: string | null, mediaType: string): string {
  const known = Object.entries(extensionTypes).find(([, type]) => type === mediaType)?.[0]
  const extension = known ?? (/[\w-]{1,32}$/.exec(mediaType)?.[0] || 'pdf')
  const name = title ?? 'document'
  return name.toLowerCase().endsWith(`.${extension}`) ? name : `${name}.${extension}`
}
