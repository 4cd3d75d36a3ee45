/**
 * The setup token: its holder may set up the installation. Only its hash is stored, so a copy
 * of the database reveals no token; a new token replaces the previous one.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Settings } from '../../store/settings.ts'
import type { ControlDeps } from '../control-deps.ts'

const settingName = 'setup_token_sha256'
const tokenBytes = 24

/** Makes a token and forgets the one before; the return value is its only copy. */
export async function makeSetupToken(deps: Pick<ControlDeps, 'settings' | 'random'>): Promise<string> {
  const token = Buffer.from(deps.random(tokenBytes)).toString('base64url')
  await deps.settings.put(settingName, hashOf(token).toString('hex'))
  return token
}

export async function isValidSetupToken(settings: Pick<Settings, 'get'>, token: string): Promise<boolean> {
  const stored = await settings.get(settingName)
  return stored !== undefined && stored !== '' && timingSafeEqual(hashOf(token), Buffer.from(stored, 'hex'))
}

/** A used token opens nothing any more. */
export async function clearSetupToken(settings: Pick<Settings, 'put'>): Promise<void> {
  await settings.put(settingName, '')
}

/** The token is 192 random bits: a fast hash is enough. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export function setupLinkOf(address: string, token: string): string {
  return `${address}/console/setup?token=${token}`
}
