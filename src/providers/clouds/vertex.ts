/**
 * Google Vertex AI: Gemini in its own format, Claude in Messages with the model in the path, models of other publishers in
 * Chat Completions. The address has project and location: `…/v1/projects/{project}/locations/{location}`.
 */
import { vertexBetas } from '../hosts/host-betas.ts'
import type { HostRow } from '../hosts/host-row.ts'
import { bearerAuthorizer } from './bearer-authorizer.ts'
import { vertexHost } from './clouds-table.ts'
import { googleToken } from './google-tokens.ts'

/** Below an address without a project a key of the express mode is used, which serves Gemini alone. */
const express = '/v1'

export const vertex: HostRow = {
  origin: 'https://aiplatform.googleapis.com',
  prefixes: {
    gemini: '/publishers/google',
    anthropic: '/publishers/anthropic',
    'openai-chat': '/endpoints/openapi',
  },
  addressOf: (basePath) => basePath || express,
  addressMistake: (url) => {
    const { hostname, pathname } = new URL(url)
    const location = /\/locations\/([a-z0-9-]+)/.exec(pathname)?.[1]
    if (location === undefined || !hostname.endsWith('.googleapis.com')) return undefined
    const host = vertexHost(location)
    return hostname === host ? undefined : `the host of the location ${location} is ${host}`
  },
  modelPaths: {
    anthropic: ({ model, streamed }) => `/models/${model}:${streamed ? 'streamRawPredict' : 'rawPredict'}`,
  },
  counting: {
    gemini: { shape: 'vertex-gemini' },
    anthropic: { shape: 'vertex-claude', path: ({ prefix }) => `${prefix}/models/count-tokens:rawPredict` },
  },
  modelList: null,
  authentication: {
    gemini: { header: 'x-goog-api-key' },
    anthropic: { header: 'x-goog-api-key' },
    'openai-chat': { header: 'x-goog-api-key' },
  },
  authorizer: (credential, fields) => bearerAuthorizer(credential, fields, googleToken),
  formatsOf(model) {
    if (/^claude-/.test(model)) return ['anthropic']
    return model.includes('/') ? ['openai-chat'] : ['gemini']
  },
  errors: [
    {
      words: ['UNAUTHENTICATED', 'PERMISSION_DENIED', 'API_KEY_INVALID', 'SERVICE_DISABLED'],
      meaning: 'credential',
    },
    { words: ['BILLING_DISABLED'], meaning: 'billing' },
    // The capacity is shared by all customers of the location; there is no wait to obey.
    { words: ['RESOURCE_EXHAUSTED'], meaning: 'overloaded' },
    { words: ['UNAVAILABLE'], meaning: 'overloaded' },
    { words: ['DEADLINE_EXCEEDED'], meaning: 'timeout' },
    { words: ['CANCELLED', 'ABORTED', 'INTERNAL'], meaning: 'server' },
  ],
  betas: { anthropic: vertexBetas },
  requests: { anthropic: { modelInPath: true, adds: { anthropic_version: '"vertex-2023-10-16"' } } },
  source:
    'cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude, .../start/express-mode, 2026-11',
}
