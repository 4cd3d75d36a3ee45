/** The handlers of this folder by the names of their operations. */
import { createAccount } from './create.ts'
import { creditAccount } from './credit.ts'
import { listAccounts } from './list.ts'
import { listMembers } from './members.ts'
import { resumeAccount } from './resume.ts'
import { showAccount } from './show.ts'
import { suspendAccount } from './suspend.ts'
import { unrestrictAccount } from './unrestrict.ts'

export const accountHandlers = {
  'account.create': createAccount,
  'account.show': showAccount,
  'member.list': listMembers,
  'account.list': listAccounts,
  'account.suspend': suspendAccount,
  'account.resume': resumeAccount,
  'account.unrestrict': unrestrictAccount,
  credit: creditAccount,
} as const
