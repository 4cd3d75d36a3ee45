/** A model and an upstream as the operator's lists have them. Types only. */
import type { OperationOutput } from '@/lib/api'

export type Model = OperationOutput<'models.list'>[number]
export type Upstream = OperationOutput<'upstreams.list'>[number]
