/** Packages: where each may be imported. */
import { importsOf, type Tree } from '../support/source-tree.ts'
import { owners } from './bans.ts'
import { manifest, packageName, sources } from './rule.ts'

/** Not listed: anywhere above `wire`, `contract` and `limits`. */
const packagePlaces: Readonly<Record<string, RegExp>> = {
  'node:sqlite': /^src\/store\//,
  kysely: owners,
  zod: /^(contract\/|src\/(api|catalog|config|control|gateway|server)\/)/,
  pino: /^src\/base\//,
  'better-auth': /^src\/identity\/better-auth\//,
  pg: /^src\/store\/postgres\//,
  stripe: /^src\/payments\//,
  nodemailer: /^src\/mail\//,
  fastify: /^src\/(server|http|api)\//,
}
const pureFolders = /^(src\/(wire|limits)|contract)\//

export function misplacedPackages(tree: Tree): string[] {
  const listed = Object.keys(manifest(tree).dependencies ?? {})
  return sources(tree).flatMap(([path, whole]) =>
    importsOf(path, whole)
      .filter(({ isOurs }) => !isOurs)
      .map(({ target }) => (target.startsWith('node:') ? target : packageName(target)))
      .flatMap((name) => {
        if (!name.startsWith('node:') && !listed.includes(name))
          return [`${path} imports ${name}, which is not a dependency`]
        const place = packagePlaces[name]
        const isRight = place?.test(path) ?? !pureFolders.test(path)
        return isRight
          ? []
          : [`${path} imports ${name}, which belongs to ${place?.source ?? 'impure folders'}`]
      }),
  )
}

/** Large packages that few requests need: loaded on first use, or in a separate thread. */
export const notAtOnce: readonly string[] = [
  'better-auth',
  '@better-auth/passkey',
  'gpt-tokenizer',
  'nodemailer',
  'stripe',
  'yaml',
]

export function loadedAtOnce(tree: Tree): string[] {
  // A command loads main.ts alone, the server server.ts as well.
  const reached = new Set<string>(['src/main.ts', 'src/server/server.ts'])
  // A set is iterated in insertion order, including entries added meanwhile.
  for (const path of reached) {
    for (const { target, isOurs, isTypeOnly, isLater } of importsOf(path, tree.get(path) ?? '')) {
      if (isOurs && !isTypeOnly && !isLater) reached.add(target)
    }
  }
  return [...reached].flatMap((path) =>
    importsOf(path, tree.get(path) ?? '')
      .filter(({ isTypeOnly, isLater }) => !isTypeOnly && !isLater)
      .filter(({ target, isOurs }) => !isOurs && notAtOnce.includes(packageName(target)))
      .map(({ target }) => `${path} imports ${target}`),
  )
}
