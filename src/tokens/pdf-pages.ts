/**
 * How many pages a PDF has, counted so that a false entry does not lower the number: the largest of the page objects,
 * the counts and the children that the file names. Not a parser: a file that hides its objects has no page count here.
 * Runs in the worker thread, never in the thread that serves requests.
 */
import { inflateSync } from 'node:zlib'

export interface PdfLimits {
  /** Bytes of compressed objects, unpacked, in one file. */
  readonly pdfInflatedBytesMax: number
}

const headBytesMax = 1_024
const streamWord = Buffer.from('stream')
const endWord = Buffer.from('endstream')
/** A dictionary that describes a stream ends before it and is short. */
const dictionaryBytesMax = 2_048

/** undefined: encrypted, packed in a way that is not read here, or no PDF. */
export function pdfPages(file: Buffer, limits: PdfLimits): number | undefined {
  if (!file.subarray(0, headBytesMax).includes('%PDF-')) return undefined
  const objects = objectTexts(file, limits)
  if (objects === undefined) return undefined
  const text = objects.join('\n')
  if (/\/Encrypt\b/.test(text) || hidesNames(text)) return undefined
  const pages = Math.max(pageObjects(text), largestCount(text), children(text))
  return pages === 0 ? undefined : pages
}

const searched = new Set(['Type', 'Kids', 'Count', 'Page', 'Pages', 'Encrypt'])

/** A character of a name may be written as its number, and a search does not find it then. */
function hidesNames(text: string): boolean {
  for (const [name] of text.matchAll(/\/(?=\w{0,23}#)[\w#]{2,24}/g))
    if (searched.has(nameOf(name))) return true
  return false
}

function nameOf(spelled: string): string {
  return spelled
    .slice(1)
    .replace(/#([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

function pageObjects(text: string): number {
  return matchesOf(/\/Type\s*\/Page(?![A-Za-z])/g, text)
}

/** Counts them without a list, which can be ten times as large as the text. */
function matchesOf(pattern: RegExp, text: string): number {
  let count = 0
  for (const _match of text.matchAll(pattern)) count += 1
  return count
}

/** The largest count among nodes of the page tree; outlines have counts too. */
function largestCount(text: string): number {
  let largest = 0
  for (const { index } of text.matchAll(/\/Type\s*\/Pages(?![A-Za-z])/g)) {
    const before = text.slice(Math.max(0, index - nodeCharactersMax), index)
    const node = before.slice(before.lastIndexOf('<<') + 1) + text.slice(index, index + nodeCharactersMax)
    const end = node.indexOf('endobj')
    const count = /\/Count\s+(\d{1,9})/.exec(end === -1 ? node : node.slice(0, end))?.[1]
    largest = Math.max(largest, Number(count ?? 0))
  }
  return largest
}

const nodeCharactersMax = 400

/** Every search continues where the last one ended, so that the scan stays linear. */
function children(text: string): number {
  let count = 0
  for (let at = text.indexOf('/Kids'); at !== -1; at = text.indexOf('/Kids', at)) {
    const end = text.indexOf(']', at)
    if (end === -1) return count
    count += matchesOf(/\d{1,10}\s{1,8}\d{1,5}\s{1,8}R/g, text.slice(at, end))
    at = end
  }
  return count
}

/** The text outside of streams and in streams that contain objects. */
function objectTexts(file: Buffer, { pdfInflatedBytesMax }: PdfLimits): readonly string[] | undefined {
  const texts: string[] = []
  let leftBytes = pdfInflatedBytesMax
  let at = 0
  for (;;) {
    const word = nextStream(file, at)
    texts.push(file.toString('latin1', at, word === -1 ? file.length : word))
    if (word === -1) return texts
    const start = word + streamWord.length
    const end = file.indexOf(endWord, start)
    if (end === -1) return texts
    const dictionary = file.toString('latin1', Math.max(at, word - dictionaryBytesMax), word)
    if (holdsObjects.test(dictionary.slice(dictionary.lastIndexOf('obj')))) {
      const unpacked = unpackedObjects(file.subarray(start, end), dictionary, leftBytes)
      if (unpacked === undefined) return undefined
      leftBytes -= unpacked.length
      texts.push(unpacked)
    }
    at = end + endWord.length
  }
}

const holdsObjects = /\/ObjStm\b/

/** The word as it begins a stream: behind a dictionary, and not the end of another word. */
function nextStream(file: Buffer, from: number): number {
  for (let at = file.indexOf(streamWord, from); at !== -1; at = file.indexOf(streamWord, at + 1)) {
    const before = file.toString('latin1', Math.max(from, at - 8), at).trimEnd()
    if (before.endsWith('>>')) return at
  }
  return -1
}

function unpackedObjects(packed: Buffer, dictionary: string, bytesMax: number): string | undefined {
  const start = packed[0] === 0x0d ? 2 : 1
  const filters = /\/Filter\s*(\[[^\]]*\]|\/\w+)/.exec(dictionary)?.[1]?.match(/\w+/g) ?? []
  if (filters.length === 0) return packed.toString('latin1', start)
  if (filters.length > 1 || filters[0] !== 'FlateDecode' || bytesMax <= 0) return undefined
  try {
    return inflateSync(packed.subarray(start), { maxOutputLength: bytesMax }).toString('latin1')
  } catch {
    // Damaged or too large: what it holds is not known.
    return undefined
  }
}

/** The same of a PDF that is given as its base64 text. */
export function pdfPagesOfBase64(base64: Uint8Array, limits: PdfLimits): number | undefined {
  const text = Buffer.from(base64.buffer, base64.byteOffset, base64.length).toString('latin1')
  return pdfPages(Buffer.from(text, 'base64'), limits)
}
