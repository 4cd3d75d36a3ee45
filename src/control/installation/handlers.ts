/** The handlers of this folder by the names of their operations. */
import { verifyLedger } from '../ledger/verify.ts'
import { auditCsv, listAudit, listOwnAudit } from './audit.ts'
import { listLosses } from './losses.ts'
import { setMarkup, showMarkup } from './markup.ts'
import { allowMember, listUnknownMembers, rejectMember } from './members.ts'
import { reloadConfiguration } from './reload.ts'
import { showSystem } from './system.ts'
import { listUpstreamModels, testUpstream } from './upstream-hosts.ts'
import { disableUpstream, enableUpstream, showUpstreamStatus } from './upstream-status.ts'
import { checkUpstream, listUpstreams, putUpstream, removeUpstream } from './upstreams.ts'

export const installationHandlers = {
  'audit.csv': auditCsv,
  'audit.list': listAudit,
  'audit.own': listOwnAudit,
  'configuration.reload': reloadConfiguration,
  'ledger.verify': verifyLedger,
  'losses.list': listLosses,
  'markup.show': showMarkup,
  'markup.set': setMarkup,
  'members.list': listUnknownMembers,
  'members.reject': rejectMember,
  'members.allow': allowMember,
  'system.show': showSystem,
  'upstreams.list': listUpstreams,
  'upstreams.put': putUpstream,
  'upstreams.check': checkUpstream,
  'upstreams.test': testUpstream,
  'upstreams.models': listUpstreamModels,
  'upstreams.remove': removeUpstream,
  'upstreams.status': showUpstreamStatus,
  'upstreams.disable': disableUpstream,
  'upstreams.enable': enableUpstream,
} as const
