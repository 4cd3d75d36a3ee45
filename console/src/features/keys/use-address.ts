/** The origin under which clients reach the server. */
import { useOperation } from '@/lib/operations'

/** As the installation says; until it has, where this page came from. */
export function useAddress(): string {
  const installation = useOperation('installation.show')
  return (installation.data?.address ?? window.location.origin).replace(/\/$/, '')
}
