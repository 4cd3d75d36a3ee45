/** How the path of an upstream's address is continued: what several formats share. Pure. */

/** `/openai/v1`, `/api/paas/v4`, `/v1/openai`; Azure's deployments have no version in the path. */
const hasVersion = (basePath: string) => /\/v\d+[a-z]*\d*(?:\/|$)|\/deployments\/[^/]+$/.test(basePath)

/** `/anthropic/v1`; a version further in front is the host's own. */
export const endsWithVersion = (basePath: string): boolean => /\/v\d+[a-z]*\d*$/.test(basePath)

/** What OpenAI's formats have in common. */
export const openaiPaths = {
  version: '/v1',
  isComplete: hasVersion,
  models: '/models',
  uploadPrefix: '',
  ofModel: null,
} as const
