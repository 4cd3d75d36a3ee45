/** The handlers of this folder, and of the setup, by the names of their operations. */
import { claimSetup } from '../setup/claim.ts'
import { makeSetupLink } from '../setup/link.ts'
import {
  confirmPerson,
  invitePerson,
  listInvitations,
  listPeople,
  makeResetLink,
  setOperator,
  withdrawInvitation,
} from './administer.ts'
import { deleteMe } from './delete-me.ts'
import { exportMe } from './export-me.ts'
import { showInstallation } from './show-installation.ts'
import { showMe } from './show-me.ts'

export const peopleHandlers = {
  'installation.show': showInstallation,
  'setup.link': makeSetupLink,
  'setup.claim': claimSetup,
  'me.show': showMe,
  'me.export': exportMe,
  'me.delete': deleteMe,
  'people.list': listPeople,
  'people.confirm': confirmPerson,
  'people.operator': setOperator,
  'people.reset-link': makeResetLink,
  'people.invite': invitePerson,
  'people.invitations': listInvitations,
  'people.withdraw-invitation': withdrawInvitation,
} as const
