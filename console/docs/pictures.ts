/** Images of the documentation are drawings, which become part of the page, so that they follow its theme. */
import { readFileSync } from 'node:fs'
import { escapeHtml } from '../../src/api/page.ts'

/** The drawing without its own style sheet: the content policy forbids it, and the style of the site has the same classes. */
export function drawingHtml(file: string, description: string): string {
  const shapes = readFileSync(file, 'utf8')
    .replace(/^[\s\S]*?(?=<svg)/, '')
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<title>[\s\S]*?<\/title>/, '')
    .trim()
  return shapes.replace('<svg', `<svg class="drawing" role="img" aria-label="${escapeHtml(description)}"`)
}
