/**
 * Tokens of Microsoft Entra: for an application with a secret or with a token of its platform (workload identity), or for the
 * managed identity of the machine. learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow.
 */
import { CredentialError } from '../credential-error.ts'
import type { TokenSource } from './bearer-authorizer.ts'
import {
  fieldOf,
  fileText,
  formRequest,
  issuerOrigin,
  machineOrigin,
  plainRequest,
  requestToken,
} from './token-answers.ts'

const resource = 'https://cognitiveservices.azure.com'
const what = 'Microsoft Entra'

/** `{ tenantId, clientId, clientSecret | tokenFile }`, or `{ machine }` with the identity's client ID or `default`. */
export const entraToken: TokenSource = async (fields, upstreamOrigin, deps) => {
  const { machine } = fields
  if (machine !== undefined) {
    const identity = machine === 'default' ? '' : `&client_id=${encodeURIComponent(machine)}`
    const path = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(resource)}${identity}`
    const origin = issuerOrigin(upstreamOrigin, machineOrigin)
    return requestToken(deps, plainRequest(origin, path, ['metadata', 'true']), what)
  }
  const tenant = fieldOf(fields, 'tenantId', 'the credential')
  // The name of a tenant is part of an address.
  if (!/^[\w.-]{1,100}$/.test(tenant)) throw new CredentialError('tenantId is not the ID of a tenant')
  const proof =
    fields['tokenFile'] === undefined
      ? { client_secret: fieldOf(fields, 'clientSecret', 'the credential') }
      : {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await fileText(fields['tokenFile']),
        }
  const form = {
    grant_type: 'client_credentials',
    client_id: fieldOf(fields, 'clientId', 'the credential'),
    scope: `${resource}/.default`,
    ...proof,
  }
  const origin = issuerOrigin(upstreamOrigin, 'https://login.microsoftonline.com')
  return requestToken(deps, formRequest(origin, `/${tenant}/oauth2/v2.0/token`, form), what)
}
