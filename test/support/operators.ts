/**
 * Calls control-plane operations of a gateway in this process as the command line, as an operator or as the person of
 * an account, and validates every output against the contract. It opens no session: the actor is a parameter.
 */
import assert from 'node:assert/strict'
import type { ControlErrorBody, OperationName, OperationOutput } from '../../contract/operations.ts'
import { operations } from '../../contract/operations.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Actor } from '../../src/control/actor.ts'
import type { ControlDeps } from '../../src/control/control-deps.ts'
import { dispatch } from '../../src/control/dispatch.ts'
import { offlineStatus, runningStatus } from '../../src/server/server-status.ts'
import { noThreads } from '../../src/server/serving-threads.ts'
import type { TestGateway } from './gateway.ts'

export interface Asking {
  /** The output of an operation that must succeed. */
  done<Name extends OperationName>(name: Name, input: object): Promise<OperationOutput<Name>>
  /** The error of an operation that must fail. */
  rejected(
    name: OperationName,
    input: object,
  ): Promise<ControlErrorBody['error'] & { readonly status: number }>
}

/** A person for tests; `loginMs` defaults to just now. */
export function personActor(id: string, more: { operator?: boolean; loginMs?: number } = {}): Actor {
  return {
    kind: 'person',
    person: {
      id,
      name: id,
      email: `${id}@example.org`,
      verified: true,
      confirmed: true,
      operator: more.operator ?? false,
      twoFactor: false,
      createdMs: 0,
      lastSeenMs: null,
    },
    loginMs: more.loginMs ?? systemClock.wallMs(),
    address: null,
  }
}

export function controlOf({ gateway, origin }: Pick<TestGateway, 'gateway' | 'origin'>): ControlDeps {
  return gateway.services.control(origin, offlineStatus(systemClock))
}

/** The same where hosts of upstreams are asked. */
export function servingControlOf({ gateway, origin }: Pick<TestGateway, 'gateway' | 'origin'>): ControlDeps {
  const status = runningStatus(gateway.deps, {
    pressure: { readings: { eventLoopDelayMs: 0, eventLoopShare: 0, heapShare: 0, commitMs: 0 } },
    watch: { report: () => ({ checkedMs: null, contradictions: 0 }) },
    others: noThreads,
    reload: gateway.reload,
  })
  return gateway.services.control(origin, status)
}

export function asking(control: ControlDeps, actor: Actor): Asking {
  return {
    async done<Name extends OperationName>(name: Name, input: object) {
      const { status, body } = await dispatch(control, actor, name, input)
      assert.equal(status, 200, JSON.stringify(body))
      return operations[name].output.parse(body) as OperationOutput<Name>
    },
    async rejected(name, input) {
      const { status, body } = await dispatch(control, actor, name, input)
      assert.notEqual(
        status,
        200,
        JSON.stringify(body, (_key, value) => String(value)),
      )
      return { ...(body as ControlErrorBody).error, status }
    },
  }
}
