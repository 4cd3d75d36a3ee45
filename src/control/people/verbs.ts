/** The verbs of this folder by the names of their operations. */
import { makeSetupLink } from '../setup/link.ts'

export const peopleVerbs = {
  'setup.link': makeSetupLink,
} as const
