/** Who may import whom, downward only. */
import { importsOf, type Tree } from '../support/source-tree.ts'
import { sources } from './rule.ts'

/** The ledger's public side: its operations and its rules. */
const theLedger = 'ledger ledger/rules'

const belowPhases = `catalog access provider-keys ${theLedger} usage limits bodies tokens providers telemetry http wire base contract type:config`
/** What the phases share. */
const shared =
  'gateway/request gateway/targets gateway/bounds gateway/attempts gateway/responses gateway/observation'

/** What the folders of identity share. */
const belowIdentity =
  'identity/types identity/auth-messages identity/public-address store threads base contract limits type:config'
const identityParts = 'store sessions sign-in organizations people better-auth auth-gateway'.split(' ')
const identityFolders = identityParts.map((name) => `identity/${name}`).join(' ')

/**
 * Group → the groups, or files below src, that it may import; `type:` allows types alone; `*` is all. A group is a
 * folder of src, one of the parts of `gateway`, `identity` or `ledger`, `sandbox` or `contract`; only main.ts is outside
 * of them.
 */
export const layers: Readonly<Record<string, string>> = {
  contract: '',
  wire: 'contract/meters type:contract',
  limits: 'base',
  base: 'contract',
  config: 'catalog limits base contract providers/clouds/clouds-table type:wire',
  threads: 'base',
  store: 'threads base type:contract type:config',
  catalog: 'store base contract limits type:wire type:config',
  access: 'store base contract limits type:wire type:config',
  'ledger/rules': 'base contract limits type:ledger type:catalog',
  'ledger/machine': 'ledger/rules base limits type:ledger type:wire',
  'ledger/sqlite':
    'ledger/machine ledger/rules ledger/verify store base contract limits type:ledger type:wire type:config',
  'ledger/postgres':
    'ledger/machine ledger/sqlite ledger/verify/kept-receipts store base contract limits type:ledger type:wire type:config',
  'ledger/verify': 'store base contract type:ledger type:config',
  ledger: 'ledger/rules ledger/sqlite store base contract limits type:ledger/verify type:wire type:config',
  audit: 'store base contract',
  'identity/store': belowIdentity,
  'identity/sessions': `identity/store ${belowIdentity}`,
  'identity/sign-in': `identity/sessions identity/store ${belowIdentity}`,
  'identity/organizations': belowIdentity,
  'identity/people': `identity/organizations identity/sign-in identity/store ${belowIdentity} type:mail`,
  'identity/better-auth': `identity/people identity/sign-in identity/sessions identity/store ${belowIdentity}`,
  'identity/auth-gateway': `identity/better-auth identity/organizations identity/sign-in identity/sessions identity/store ${belowIdentity}`,
  identity: `${identityFolders} mail ${belowIdentity}`,
  mail: 'base contract type:config',
  usage:
    'ledger/sqlite/rows ledger/postgres/tables store base contract limits type:ledger type:ledger/machine type:ledger/sqlite type:ledger/postgres type:config',
  payments: 'ledger mail store base contract limits type:config',
  api: 'control identity access http base contract limits type:config',
  providers: 'wire base contract/custom-hosts contract/endpoints contract/hosts type:config',
  'provider-keys': 'catalog store base contract type:providers type:config',
  sandbox: 'wire base type:config',
  http: 'base type:config',
  telemetry: 'base contract type:providers type:config',
  tokens: 'threads wire base type:config',
  bodies: 'tokens threads wire base type:config',
  'gateway/observation': `${belowPhases} gateway/request`,
  'gateway/responses': `${belowPhases} gateway/request`,
  'gateway/attempts': `${belowPhases} gateway/request gateway/observation`,
  'gateway/targets': `${belowPhases} gateway/request gateway/attempts gateway/responses`,
  'gateway/bounds': `${belowPhases} gateway/request gateway/attempts gateway/observation`,
  'gateway/phases': `${belowPhases} ${shared}`,
  'gateway/files': `${belowPhases} ${shared}`,
  'gateway/background-responses': `${belowPhases} ${shared}`,
  gateway: `${belowPhases} ${shared} gateway/phases gateway/files gateway/background-responses`,
  control:
    'access audit catalog identity ledger limits payments provider-keys providers/health usage contract base type:ledger/verify/ledger-watch store/transaction type:store/settings type:config',
  cli: 'server/admin-socket control contract base type:config',
  server: '*',
}

export const groupOf = (path: string) =>
  /^(contract|sandbox)\//.exec(path)?.[1] ??
  /^src\/(gateway\/(?:phases|targets|bounds|attempts|responses|observation|files|background-responses)|(?:identity|ledger)\/[^/]+(?=\/)|[^/]+)\//.exec(
    path,
  )?.[1] ??
  'outside'

/** A phase is a file of the folder, or a folder in it; none imports another. */
const phaseOf = (path: string) => /^src\/gateway\/phases\/([^/.]+)/.exec(path)?.[1]

function mayImport(path: string, target: string, isTypeOnly: boolean): boolean {
  const [from, to] = [groupOf(path), groupOf(target)]
  if (from === 'outside') return true
  if (from === to) return phaseOf(path) === phaseOf(target)
  if (to === 'outside') return false
  const allowed = layers[from]?.split(' ') ?? []
  const below = target.replace(/^src\/|\.ts$/g, '')
  return allowed.some((entry) => {
    const name = entry.replace('type:', '')
    const isOpen = isTypeOnly || !entry.startsWith('type:')
    return isOpen && (name === '*' || name === to || (name.includes('/') && below === name))
  })
}

export function importedUpwards(tree: Tree): string[] {
  return sources(tree).flatMap(([path, text]) =>
    importsOf(path, text)
      .filter(({ target, isOurs, isTypeOnly }) => isOurs && !mayImport(path, target, isTypeOnly))
      .map(({ target }) => `${path} imports ${target}`),
  )
}
