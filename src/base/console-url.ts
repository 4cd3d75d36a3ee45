/** URLs of console pages that messages lead to: of a particular account, because the reader may belong to several. */
import { formatId } from './ids.ts'

/** `address`: the public base URL of this server. `page`: a path below `/console`, such as `/billing`. */
export function consoleUrl(address: string, page: string, account: bigint): string {
  return `${address}/console${page}?account=${formatId('acct', account)}`
}

/** The page of one API key. */
export function keyUrl(address: string, { account, key }: { account: bigint; key: bigint }): string {
  return consoleUrl(address, `/keys/${formatId('key', key)}`, account)
}
