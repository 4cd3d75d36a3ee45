/** Images of the documentation: drawings become part of the page, so that they follow its theme; screenshots become files. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { escapeHtml } from '../../src/api/page.ts'

/** Writes a file among the hashed assets and returns its address. */
export type AddAsset = (name: string, bytes: Buffer) => string

export function pictureHtml(file: string, description: string, addAsset: AddAsset): string {
  if (file.endsWith('.svg')) return drawingHtml(readFileSync(file, 'utf8'), description)
  const light = screenshotHtml(file, description, addAsset)
  const darkFile = file.replace(/-light(?=\.png$)/, '-dark')
  if (darkFile === file || !existsSync(darkFile)) return light('')
  return `${light('only-light')}${screenshotHtml(darkFile, description, addAsset)('only-dark')}`
}

/** The drawing without its own style sheet: the content policy forbids it, and the style of the site has the same classes. */
function drawingHtml(svg: string, description: string): string {
  const shapes = svg
    .replace(/^[\s\S]*?(?=<svg)/, '')
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<title>[\s\S]*?<\/title>/, '')
    .trim()
  return shapes.replace('<svg', `<svg class="drawing" role="img" aria-label="${escapeHtml(description)}"`)
}

function screenshotHtml(
  file: string,
  description: string,
  addAsset: AddAsset,
): (className: string) => string {
  const bytes = readFileSync(file)
  // A PNG has its width and height at the beginning of its first chunk.
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const address = addAsset(basename(file), bytes)
  return (className) =>
    `<img class="screenshot ${className}" src="${address}" alt="${escapeHtml(description)}" width="${width}" height="${height}" loading="lazy">`
}

export function hashedName(name: string, bytes: Buffer): string {
  const extension = extname(name)
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  return `docs-${basename(name, extension)}-${hash}${extension}`
}
