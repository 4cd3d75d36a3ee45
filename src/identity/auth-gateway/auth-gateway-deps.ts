/** Dependencies of the gateway below `/api/auth`. Types only. */
import type { Clock } from '../../base/clock.ts'
import type { Mutex } from '../../base/mutex.ts'
import type { Limits } from '../../config/config.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AdmissionPolicy } from '../sign-in/admission-policy.ts'
import type { KnownDevices } from '../sign-in/known-devices.ts'
import type { NewPasswords } from '../sign-in/new-passwords.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import type { UsedCodes } from '../sign-in/used-codes.ts'
import type { Identity } from '../types.ts'
import type { Attempts } from './attempts.ts'

export interface AuthGatewayDeps {
  readonly betterAuth: (path: string) => Promise<BetterAuth>
  readonly sessions: Sessions
  readonly attempts: Attempts
  readonly admissionPolicy: AdmissionPolicy
  readonly clock: Clock
  readonly limits: Limits
  readonly secret: string
  readonly address: () => string
  readonly hasMail: boolean
  /** null: the person has no password. */
  readonly isPassword: (person: string, password: string) => Promise<boolean | null>
  /** Password hashing inside `run` is queued for the client. */
  readonly runForClient: Passwords['runForClient']
  readonly hash: Passwords['hash']
  readonly newPasswords: NewPasswords
  readonly usedCodes: UsedCodes
  readonly devices: KnownDevices
  readonly listMemberships: Identity['listMemberships']
  readonly findPerson: Identity['findPerson']
  /** Ends pending reset links, two-factor challenges and trusted devices. */
  readonly endPendingCredentials: (person: string) => Promise<void>
  /** Serializes changes of memberships. */
  readonly serialize: Mutex
}
