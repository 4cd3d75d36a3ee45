/**
 * Members of a Converse request that change what Bedrock charges: tiers, optimized latency, guardrails, prompts that are stored
 * there. This program writes none of them; one that is there is an option without a price. API_runtime_Converse, 2026-11.
 */
export const pricedMembers: readonly string[] = [
  'serviceTier',
  'performanceConfig',
  'guardrailConfig',
  'promptVariables',
]
