/** The settings for the credentials of hosts: one for each row of the table of hosts. */
import { type HostName, hostVariables } from '../../contract/hosts.ts'
import { credential } from './schemas.ts'

interface HostKeySetting {
  readonly variable: string
  readonly schema: typeof credential
  readonly secret: true
  readonly default: null
  readonly doc: string
}

type HostKeys = { readonly [Name in HostName as `${Name}Key`]: HostKeySetting }

/** Every host with the name of its setting. */
export const hostKeyNames = (Object.keys(hostVariables) as HostName[]).map(
  (provider) => ({ provider, setting: `${provider}Key` }) as const,
)

export const hostKeys = Object.fromEntries(
  hostKeyNames.map(({ provider, setting }): [string, HostKeySetting] => {
    const { displayName, variable } = hostVariables[provider]
    const doc = `The API key for ${displayName}; enables its built-in models as \`${provider}/…\` ([providers](providers.md)).`
    return [setting, { variable, secret: true, schema: credential, default: null, doc }]
  }),
) as unknown as HostKeys
