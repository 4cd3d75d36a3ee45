/** The program's version and the versions of Node that it supports. */
import { readFileSync } from 'node:fs'

/** The folder of the checkout or of the installed package, which have the same layout. */
export const packageFolder = new URL('../../', import.meta.url)

interface PackageFacts {
  readonly version: string
  readonly engines: { readonly node: string }
}

const facts = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as PackageFacts

export const program = { version: facts.version, nodeRange: facts.engines.node } as const
