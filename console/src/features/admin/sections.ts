/** The sections of the admin pages, in their order. */
export const sections = [
  ['accounts', 'Accounts'],
  ['people', 'People'],
  ['models', 'Models and upstreams'],
  ['codes', 'Codes'],
  ['payments', 'Payments'],
  ['write-offs', 'Write-offs'],
  ['audit', 'Audit log'],
  ['system', 'System'],
] as const

export type SectionId = (typeof sections)[number][0]
