/** The rows of all clouds, by name. */
import type { HostRow } from '../hosts/host-row.ts'
import { azure } from './azure.ts'
import { bedrock } from './bedrock.ts'
import type { CloudName } from './clouds-table.ts'
import { vertex } from './vertex.ts'

export const cloudRows: Readonly<Record<CloudName, HostRow>> = { azure, bedrock, vertex }
