/** The two addresses that upstreams are asked at; the caller's query travels along. */

export function chatPath(query: string): string {
  return `/v1/chat/completions${query}`
}

export function messagesPath(query: string): string {
  return `/v1/messages${query}`
}
