/**
 * Which files a source loads at run time: its imports, transitively, and the files that it starts as threads or
 * programs. Follows values only, since types are erased. Reads files on demand, judges nothing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { splitSource } from './source-text.ts'
import { importsOf } from './source-tree.ts'

/** `new URL('./writer-thread.ts', import.meta.url)`, also with a computed extension. */
const urlForm = /new URL\(\s*(['"`])(\.[^'"`$]*?)\.(?:ts|js|\$\{\w+\})\1/g
const sourceForm = /\.(?:ts|tsx|js)$/
const endings = ['', '.ts', '.tsx', '/index.ts']

export class ImportGraph {
  readonly #root: string
  readonly #texts = new Map<string, string>()
  readonly #edges = new Map<string, readonly string[]>()

  constructor(root: string) {
    this.#root = root
  }

  /** The text of a file of the checkout; empty where it does not exist. */
  text(path: string): string {
    let text = this.#texts.get(path)
    if (text === undefined) {
      const place = posix.join(this.#root, path)
      text = existsSync(place) ? readFileSync(place, 'utf8') : ''
      this.#texts.set(path, text)
    }
    return text
  }

  /** The file itself and all that it loads, transitively. */
  loadedBy(path: string): ReadonlySet<string> {
    const found = new Set([path])
    for (const each of found) for (const next of this.#edgesOf(each)) found.add(next)
    return found
  }

  #edgesOf(path: string): readonly string[] {
    let edges = this.#edges.get(path)
    if (edges === undefined) {
      edges = sourceForm.test(path) ? this.#read(path) : []
      this.#edges.set(path, edges)
    }
    return edges
  }

  #read(path: string): readonly string[] {
    const text = this.text(path)
    const imported = importsOf(path, text)
      .filter(({ isOurs, isTypeOnly }) => isOurs && !isTypeOnly)
      .map(({ target }) => target)
    const folder = posix.dirname(path)
    const started = [...splitSource(text).code.matchAll(urlForm)].map((match) =>
      posix.join(folder, match[2] ?? ''),
    )
    return [...imported, ...started].flatMap((target) => this.#fileOf(target) ?? [])
  }

  #fileOf(target: string): string | undefined {
    const names = sourceForm.test(target) ? [target] : endings.map((ending) => `${target}${ending}`)
    return names.find((name) => sourceForm.test(name) && this.text(name) !== '')
  }
}
