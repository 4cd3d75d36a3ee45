/** The thread of an attacker: starts the attack of the given module, and stops it when requested. */
import { parentPort, workerData } from 'node:worker_threads'
import type { AttackTarget, BeginAttack } from './attacks.ts'

const { module, target } = workerData as { readonly module: string; readonly target: AttackTarget }
const { begin } = (await import(module)) as { readonly begin: BeginAttack }
const attack = await begin(target)

parentPort?.postMessage({ began: true, counts: attack.counts() })
parentPort?.once('message', () => void stop())

async function stop(): Promise<void> {
  const counts = attack.counts()
  await attack.stop()
  parentPort?.postMessage({ counts })
  parentPort?.close()
}
