/**
 * The hosts of a `DATABASE_URL`, each as a separate address. The client library knows one host; several in one address, as
 * `postgres://a,b:5433/name?target_session_attrs=read-write` has them, are PostgreSQL's own format.
 */

/** Scheme with user and password, the hosts, and the rest. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/

/** Parameters that are handled here and removed: they would override the settings of a connection. */
const ownParameters = ['target_session_attrs', 'application_name', 'options', 'load_balance_hosts', 'prepare']

/** Accepted values of `target_session_attrs`: each connection goes to the server that takes writes. */
const writable: readonly (string | null)[] = [null, 'any', 'read-write', 'primary']

/** Returns a URL for each host, in order; never throws, but `URL` may fail to parse them. */
export function hostUrls(url: string): readonly string[] {
  const [, start = '', hosts = '', rest = ''] = parts.exec(url) ?? []
  return hosts.split(',').map((host) => `${start}${host}${rest}`)
}

/** Why an address cannot be used; undefined: it can. */
export function databaseUrlMistake(url: string): string | undefined {
  const urls = hostUrls(url)
  const isSound = urls.every((each) => {
    if (!URL.canParse(each)) return false
    const { protocol, hostname, pathname, searchParams } = new URL(each)
    const hasHost = hostname !== '' || (urls.length === 1 && searchParams.has('host'))
    return ['postgres:', 'postgresql:'].includes(protocol) && hasHost && pathname.length > 1
  })
  if (!isSound)
    return 'must be postgres:// with a host and a database, such as postgres://user:password@db.example/tollgate'
  const { searchParams } = new URL(urls[0] ?? '')
  if (!writable.includes(searchParams.get('target_session_attrs')))
    return 'target_session_attrs must be read-write: a server writes to the database'
  return undefined
}

/** Whether the server keeps prepared statements; `prepare=false`: a pooler gives each transaction a different connection. */
export const keepsStatements = (url: string): boolean => !/[?&]prepare=false(?:&|$)/.test(url)

/** Address for the client, where TLS parameters mean what they mean to PostgreSQL's own clients. */
export function clientAddress(url: string): string {
  const address = new URL(url)
  for (const name of ownParameters) address.searchParams.delete(name)
  if (address.searchParams.has('sslmode')) address.searchParams.set('uselibpqcompat', 'true')
  return address.href
}
