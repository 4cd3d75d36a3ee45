/** The list of migrations in their order. A migration that was released is never changed again. */
import { begin } from './0001-begin.ts'
import { keptAnswers } from './0002-kept.ts'
import { people } from './0003-people.ts'
import { usage } from './0004-usage.ts'
import { keys } from './0005-keys.ts'
import { payments } from './0006-payments.ts'
import { upstreams } from './0007-upstreams.ts'
import { builtInKeys } from './0008-built-in-keys.ts'
import { decidedCredit } from './0009-decided-credit.ts'
import { automaticWaits } from './0010-automatic-waits.ts'
import { lists } from './0011-lists.ts'
import { metersOfAccounts } from './0012-meters-of-accounts.ts'
import { sharedMeters } from './0013-shared-meters.ts'
import { whoAsked } from './0014-who-asked.ts'
import { rateLogs } from './0015-rate-logs.ts'
import { upstreamModels } from './0016-upstream-models.ts'
import { chargeLimits } from './0017-charge-limits.ts'
import { inputBounds } from './0018-input-bounds.ts'
import { providerFiles } from './0019-provider-files.ts'
import type { Migration } from './migration.ts'

export type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [
  begin,
  keptAnswers,
  people,
  usage,
  keys,
  payments,
  upstreams,
  builtInKeys,
  decidedCredit,
  automaticWaits,
  lists,
  metersOfAccounts,
  sharedMeters,
  whoAsked,
  rateLogs,
  upstreamModels,
  chargeLimits,
  inputBounds,
  providerFiles,
]
