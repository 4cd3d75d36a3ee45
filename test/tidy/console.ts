/** The console: its folders import downward only. */
import { importsOf, type Tree } from '../support/source-tree.ts'
import { anyConsole, manifest, packageName } from './rule.ts'

/** Folder of console/src → the folders that it may import. Files directly in console/src may import all. */
const consoleLayers: Readonly<Record<string, readonly string[]>> = {
  lib: ['lib'],
  components: ['lib', 'components'],
  layout: ['lib', 'components', 'layout', 'features/auth', 'features/palette'],
}

const consoleFolder = (path: string) => /^console\/src\/((?:features\/)?[^/]+)\//.exec(path)?.[1] ?? 'console'

/** Of the contract: values that need no schema. */
const consoleValues = [
  'contract/usd.ts',
  'contract/meters.ts',
  'contract/custom-hosts.ts',
  'contract/formats.ts',
  'contract/hosts.ts',
  'contract/low-balance.ts',
]

/** Made from the contract when the console is built. */
const madeModules = ['virtual:operations', 'virtual:error-codes']

/** The list of pages of the documentation is data for the command palette too. */
const docsPages = 'console/docs/site-map.ts'

/** Its pages are loaded when they are shown, so that the navigation can read the table. */
const pagesTable = 'console/src/pages.ts'

function mayConsoleImport(path: string, target: string, isTypeOnly: boolean): boolean {
  // Schemas stay on the server: they are half as large as the console itself.
  if (target.startsWith('contract/')) return isTypeOnly || consoleValues.includes(target)
  if (!target.startsWith('console/src/')) return target === docsPages
  return (
    target === pagesTable || (consoleLayers[consoleFolder(path)]?.includes(consoleFolder(target)) ?? true)
  )
}

export function importedAcrossConsole(tree: Tree): string[] {
  const packages = Object.keys(manifest(tree, 'console/package.json').dependencies ?? {})
  return [...tree]
    .filter(([path]) => anyConsole.test(path) && !path.endsWith('.d.ts'))
    .flatMap(([path, whole]) =>
      importsOf(path, whole)
        .filter(({ target, isOurs, isTypeOnly }) =>
          isOurs
            ? !mayConsoleImport(path, target, isTypeOnly)
            : !madeModules.includes(target) && !packages.includes(packageName(target)),
        )
        .map(({ target }) => `${path} imports ${target}`),
    )
}
