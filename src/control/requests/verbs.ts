/** The verbs of this folder by the names of their operations. */
import { listRequests } from './list.ts'

export const requestVerbs = {
  'requests.list': listRequests,
} as const
