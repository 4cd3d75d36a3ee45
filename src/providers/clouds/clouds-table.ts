/**
 * The clouds that sell models of several vendors under a customer's own URL and credential, by the name that operators
 * and models use for them. How each is called is in the file of the same name. Data only: the configuration reads it.
 */

export interface CloudFacts {
  readonly displayName: string
  /** What the address of a customer looks like; there is none that all customers share. */
  readonly addressExample: string
}

export const clouds = {
  azure: { displayName: 'Azure', addressExample: 'https://my-resource.services.ai.azure.com' },
  bedrock: {
    displayName: 'Amazon Bedrock',
    addressExample: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  },
  vertex: {
    displayName: 'Google Vertex AI',
    addressExample: 'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global',
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

/** The host of a location. */
function vertexHost(location: string): string {
  return Object.hasOwn(multiRegions, location)
    ? (multiRegions[location] ?? '')
    : `${location}-aiplatform.googleapis.com`
}
