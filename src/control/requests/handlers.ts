/** The handlers of this folder by the names of their operations. */
import { requestsCsv } from './csv.ts'
import { listRequests } from './list.ts'
import { runningRequests, stopRequest } from './running.ts'
import { showRequest } from './show.ts'

export const requestHandlers = {
  'requests.list': listRequests,
  'requests.csv': requestsCsv,
  'requests.running': runningRequests,
  'request.show': showRequest,
  'request.stop': stopRequest,
} as const
