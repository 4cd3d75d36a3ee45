/**
 * URLs of upstreams: which are accepted, and their parts. A URL may have a path, as hosts with a known
 * format below one do (`https://api.groq.com/openai/v1`). Pure; resolves no names.
 */

export interface UpstreamAddress {
  /** Scheme, host and port: what a connection is opened to. */
  readonly origin: string
  /** The prefix of the formats' paths, without a slash at the end: `` or `/openai/v1`. */
  readonly basePath: string
}

/** Splits an address that has no mistake. Slashes too many are left out. */
export function parseAddress(url: string): UpstreamAddress {
  const { origin, pathname } = new URL(url)
  return { origin, basePath: pathname.replace(/\/+/g, '/').replace(/\/$/, '') }
}

/** Normalizes an address. */
export function canonicalAddress(url: string): string {
  const { origin, basePath } = parseAddress(url)
  return `${origin}${basePath}`
}

const example = 'https://host:443 or https://host/openai/v1'

/** Error in the form of an address; undefined: none. */
export function addressMistake(address: string): string | undefined {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return `must be a URL such as ${example}`
  if (url.username !== '' || url.password !== '')
    return `must be a URL without a user name or password: ${example}`
  const base = withoutEndpoint(parseAddress(address).basePath)
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(address)) {
    return `must be a URL without a query or fragment: ${url.origin}${withoutDeployment(base)}`
  }
  return base === parseAddress(address).basePath
    ? undefined
    : `must be the base URL, without the path of an endpoint: ${url.origin}${base}`
}

/** Path of an endpoint, as in a URL copied from a `curl` example. */
const endpoint =
  /\/(?:chat\/completions|completions|responses|embeddings|messages(?:\/count_tokens)?|models(?:\/[^/]+:\w+)?)$/

function withoutEndpoint(basePath: string): string {
  return basePath.replace(endpoint, '')
}

/** Azure has a base address without a version in the query: learn.microsoft.com/azure/foundry/openai/api-version-lifecycle. */
function withoutDeployment(basePath: string): string {
  return basePath.replace(/^\/openai\/deployments\/[^/]+$/, '/openai/v1')
}

/** The reason to reject an address at runtime; `plainOrigins`: plain HTTP origins allowed by the configuration. */
export function addedAddressMistake(address: string, plainOrigins: readonly string[]): string | undefined {
  const mistake = addressMistake(address)
  if (mistake !== undefined) return mistake
  const url = new URL(address)
  if (url.protocol === 'https:' || isLoopback(url.hostname) || plainOrigins.includes(url.origin))
    return undefined
  return 'must be https: plain HTTP is allowed on loopback only, unless `plainOrigins` in tollgate.yaml lists the origin'
}

/** The engine has written every spelling of an address in one way. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
