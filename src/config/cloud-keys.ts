/** The settings for the clouds' own environment variables, and the upstreams that they make. */
import { z } from 'zod'
import { bedrockAddress, vertexAddress } from '../providers/clouds/clouds-table.ts'
import { credential, upstreamUrl } from './schemas.ts'

const region = z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be the name of a region, such as us-east-1')
const project = z.string().regex(/^[a-z0-9.:-]{1,63}$/, 'must be the ID of a project')

const guide = '([clouds](providers.md#clouds))'

export const cloudKeys = {
  azureKey: {
    variable: 'AZURE_OPENAI_API_KEY',
    secret: true,
    schema: credential,
    default: null,
    doc: `The API key for an Azure resource; enables its built-in models as \`azure/…\` ${guide}.`,
  },
  azureEndpoint: {
    variable: 'AZURE_OPENAI_ENDPOINT',
    schema: upstreamUrl,
    default: null,
    doc: 'The address of that resource, such as `https://my-resource.openai.azure.com`.',
  },
  bedrockKey: {
    variable: 'AWS_BEARER_TOKEN_BEDROCK',
    secret: true,
    schema: credential,
    default: null,
    doc: `The API key for Amazon Bedrock; enables its built-in models as \`bedrock/…\` ${guide}.`,
  },
  awsRegion: {
    variable: 'AWS_REGION',
    schema: region,
    default: null,
    doc: 'The region for that key, such as `us-east-1`.',
  },
  vertexProject: {
    variable: 'GOOGLE_VERTEX_PROJECT',
    schema: project,
    default: null,
    doc: `The Google Cloud project; enables the built-in models of Vertex AI as \`vertex/…\` ${guide}.`,
  },
  vertexLocation: {
    variable: 'GOOGLE_VERTEX_LOCATION',
    schema: region,
    default: null,
    doc: 'The location for that project, such as `global` or `europe-west4`.',
  },
  googleCredentialsFile: {
    variable: 'GOOGLE_APPLICATION_CREDENTIALS',
    schema: z.string(),
    default: null,
    defaultText: 'the service account of the machine',
    doc: 'The file with the key of a service account, or with application default credentials, for that project.',
  },
} as const

interface CloudValues {
  readonly azureKey: string | null
  readonly azureEndpoint: string | null
  readonly bedrockKey: string | null
  readonly awsRegion: string | null
  readonly vertexProject: string | null
  readonly vertexLocation: string | null
  readonly googleCredentialsFile: string | null
}

/** An upstream that the environment makes: its provider, credential and address. */
interface CloudUpstream {
  readonly provider: string
  readonly credential: string
  readonly url: string
}

interface CloudVariables {
  readonly upstreams: readonly CloudUpstream[]
  readonly mistakes: readonly string[]
}

/** The clouds whose variables are set, unless `isInFile`: then the file decides how the variables are used. */
export function cloudVariables(values: CloudValues, isInFile: (provider: string) => boolean): CloudVariables {
  const found = rows.filter(({ provider, main }) => values[main] !== null && !isInFile(provider))
  return {
    upstreams: found.flatMap(({ provider, upstream }) => {
      const made = upstream(values)
      return made === null ? [] : [{ provider, ...made }]
    }),
    mistakes: found
      .filter(({ upstream }) => upstream(values) === null)
      .map(({ main, place }) => {
        const [needed, by] = [cloudKeys[place].variable, cloudKeys[main].variable]
        return `${needed}: is not set, but ${by} is; it says where the models are served`
      }),
  }
}

interface CloudRow {
  readonly provider: string
  /** The settings for the cloud's models and for the place that serves them. */
  readonly main: keyof CloudValues
  readonly place: keyof CloudValues
  /** null: a variable is missing. */
  upstream(values: CloudValues): Omit<CloudUpstream, 'provider'> | null
}

const rows: readonly CloudRow[] = [
  {
    provider: 'azure',
    main: 'azureKey',
    place: 'azureEndpoint',
    upstream: ({ azureKey, azureEndpoint }) =>
      azureKey === null || azureEndpoint === null ? null : { credential: azureKey, url: azureEndpoint },
  },
  {
    provider: 'bedrock',
    main: 'bedrockKey',
    place: 'awsRegion',
    upstream: ({ bedrockKey, awsRegion }) =>
      bedrockKey === null || awsRegion === null
        ? null
        : { credential: bedrockKey, url: bedrockAddress(awsRegion) },
  },
  {
    provider: 'vertex',
    main: 'vertexProject',
    place: 'vertexLocation',
    upstream: ({ vertexProject, vertexLocation, googleCredentialsFile }) =>
      vertexProject === null || vertexLocation === null
        ? null
        : {
            credential: vertexCredential(googleCredentialsFile),
            url: vertexAddress(vertexProject, vertexLocation),
          },
  },
]

function vertexCredential(file: string | null): string {
  return JSON.stringify(file === null ? { machine: 'default' } : { file })
}
