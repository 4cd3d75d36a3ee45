/** The origin at which clients reach the server. */
import { useOperation } from '@/lib/operations'

/** The configured one; until it is known, the origin of this page. */
export function useAddress(): string {
  const installation = useOperation('installation.show')
  return (installation.data?.address ?? window.location.origin).replace(/\/$/, '')
}
