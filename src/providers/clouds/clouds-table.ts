/**
 * The clouds that sell models of several vendors under a customer's own URL and credential, by the name that operators
 * and models use for them. How each is called is in the file of the same name. Data only: the configuration reads it.
 */
import { cloudHosts } from '../../../contract/hosts.ts'

export interface CloudFacts {
  readonly displayName: string
  /** Example of a customer's address; there is no common one. */
  readonly addressExample: string
  /** The fields that a credential may have in place of a key; others may be added. */
  readonly credentialForms: readonly CredentialForm[]
}

/** The names of the fields of one credential. */
export interface CredentialForm {
  readonly fields: readonly string[]
  /** Set where the fields name a file or use the server machine's own permissions: only that machine's operator may use them. */
  readonly isLocal?: true
}

export const clouds = {
  azure: {
    ...cloudHosts.azure,
    credentialForms: [
      { fields: ['tenantId', 'clientId', 'clientSecret'] },
      { fields: ['tenantId', 'clientId', 'tokenFile'], isLocal: true },
      { fields: ['machine'], isLocal: true },
    ],
  },
  bedrock: {
    ...cloudHosts.bedrock,
    credentialForms: [
      { fields: ['accessKeyId', 'secretAccessKey'] },
      { fields: ['profile'], isLocal: true },
      { fields: ['roleArn', 'tokenFile'], isLocal: true },
      { fields: ['container'], isLocal: true },
      { fields: ['machine'], isLocal: true },
    ],
  },
  vertex: {
    ...cloudHosts.vertex,
    credentialForms: [
      { fields: ['type', 'client_email', 'private_key'] },
      { fields: ['type', 'client_id', 'client_secret', 'refresh_token'] },
      { fields: ['file'], isLocal: true },
      { fields: ['machine'], isLocal: true },
    ],
  },
} as const satisfies Readonly<Record<string, CloudFacts>>

export type CloudName = keyof typeof clouds

/** Where Bedrock answers in a region. */
export function bedrockAddress(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`
}

/** Locations of several regions have separate hosts; `global-aiplatform.googleapis.com` responds with a page. */
const multiRegions: Readonly<Record<string, string>> = {
  global: 'aiplatform.googleapis.com',
  us: 'aiplatform.us.rep.googleapis.com',
  eu: 'aiplatform.eu.rep.googleapis.com',
}

/** Where a project is served in a location. */
export function vertexAddress(project: string, location: string): string {
  return `https://${vertexHost(location)}/v1/projects/${project}/locations/${location}`
}

export function vertexHost(location: string): string {
  return Object.hasOwn(multiRegions, location)
    ? (multiRegions[location] ?? '')
    : `${location}-aiplatform.googleapis.com`
}
