/** Which addresses an upstream may have that is added while the program runs. Pure; resolves no names. */

/** What is wrong with an address; undefined: nothing. `plainOrigins`: where the configuration allows plain HTTP. */
export function originMistake(origin: string, plainOrigins: readonly string[]): string | undefined {
  const url = URL.parse(origin)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an address such as https://host:443'
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && !/[?#]/.test(origin)
  if (!isBare || url.username !== '' || url.password !== '')
    return 'must be a scheme, a host and a port, without a path or a name: https://host:443'
  if (url.protocol === 'https:' || isLoopback(url.hostname) || plainOrigins.includes(url.origin))
    return undefined
  return 'must be https: plain HTTP is for this machine alone, unless `plainOrigins` in tollgate.yaml names the address'
}

/** The engine has written every spelling of an address in one way. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
