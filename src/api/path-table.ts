/** Which methods a path allows, so that a wrong method is distinguished from an unknown path. Pure. */

interface PathRow {
  readonly path: string
  readonly pattern: RegExp
  readonly methods: readonly string[]
}

export class PathTable {
  readonly #rows: PathRow[] = []

  /** `path` as Fastify writes it: `/api/keys/:key`, `/console/*`. */
  add(path: string, methods: readonly string[]): void {
    const source = path
      .split('/')
      .map((part) =>
        part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : part.replaceAll(/[^\w-]/g, '\\$&'),
      )
      .join('/')
    this.#rows.push({ path, pattern: new RegExp(`^${source}$`), methods })
  }

  /** Every address that was added, as `GET /api/keys/:key`. */
  addresses(): readonly string[] {
    return this.#rows.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`))
  }

  /** In alphabetical order; empty where there is nothing. */
  methodsAt(path: string): readonly string[] {
    const found = this.#rows.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    return [...new Set(found)].toSorted()
  }
}
