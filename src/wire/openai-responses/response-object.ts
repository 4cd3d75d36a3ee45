/** Ids of what we write in this format: all made of the request's id, so that they repeat in no other answer. */

/** The request's id without its prefix. */
export function tailOf(requestId: string): string {
  return requestId.replace(/^req_/, '')
}
