/**
 * `npm run bench:peers`: the CPU time of a small request at other gateways and at ours, in one interleaved run with the
 * same upstream, load and answers, nginx as the floor. Not part of `npm run bench`: it installs the others from their
 * package registries, once, into `tollgate-bench-peers` in the folder for temporary files (or PEERS_FOLDER).
 *
 * `npm run bench:peers -- [names of peers-table.ts…] [--program 'NAME=COMMAND {port} {upstream}'] [--rounds 5]`
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { proveLevels, startGateway } from '../gateway.ts'
import { startLoadGenerator } from '../load-generator.ts'
import { residentBytes } from '../machine.ts'
import {
  type Bench,
  type Contender,
  lowerQuartile,
  measureSlice,
  median,
  microsPerRequest,
  Results,
  requestsPerSecond,
} from '../measure.ts'
import { startCommand, startNginx, startScript } from '../programs.ts'
import { chatBody, chatPath, type Scenario } from '../scenario.ts'
import { warnings } from '../tables.ts'
import { type Peer, peerOfCommand, peers } from './peers-table.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    program: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '5' },
  },
})
/** Warm-up slices: programs with compilers need them. */
const warmUpSlices = 8

const scenario: Scenario = {
  name: 'small chat',
  connections: 64,
  requests: 3_000,
  path: chatPath,
  body: chatBody({}),
}

function chosenPeers(): readonly Peer[] {
  const unknown = positionals.find((name) => !peers.some((peer) => peer.name === name))
  if (unknown !== undefined) throw new Error(`${unknown}: one of ${peers.map(({ name }) => name).join(', ')}`)
  const listed = peers.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  return [...listed, ...values.program.map(peerOfCommand)]
}

/** Runs a command to its end; its output is returned, and shown where it fails. */
function runToEnd(command: readonly string[]): string {
  const [program = '', ...words] = command
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' })
  if (error !== undefined || status !== 0)
    throw new Error(`${command.join(' ')} failed: ${String(error ?? stderr)}`)
  return stdout.trim()
}

async function startPeer(peer: Peer, upstreamPort: number): Promise<Contender> {
  const folder = join(process.env['PEERS_FOLDER'] ?? join(tmpdir(), 'tollgate-bench-peers'), peer.name)
  mkdirSync(folder, { recursive: true })
  for (const command of peer.install(folder)) runToEnd(command)
  console.log(`${peer.name}: ${runToEnd(peer.version(folder))}; ${peer.does}`)
  const program = await startCommand(peer.name, peer.readyPath, (port) =>
    peer.start({ folder, port, upstreamPort }),
  )
  const headers = peer.headers({ folder, port: program.port, upstreamPort })
  return { program, headers, share: peer.share }
}

function row(results: Results, { program }: Contender, floorMicros: number, ownMicros: number): string {
  const slices = results.of(scenario.name, program.name)
  const micros = lowerQuartile(slices.map(microsPerRequest))
  const cells = [
    program.name,
    micros.toFixed(0),
    median(slices.map(requestsPerSecond)).toFixed(0),
    (micros / floorMicros).toFixed(1),
    (micros / ownMicros).toFixed(2),
    (residentBytes(program.processes) / 1e6).toFixed(0),
  ]
  return `| ${cells.join(' | ')} |`
}

function print(results: Results, contenders: readonly Contender[]): void {
  const micros = (name: string): number =>
    lowerQuartile(results.of(scenario.name, name).map(microsPerRequest))
  console.log(`\n${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}\n`)
  console.log('| | CPU µs a request | requests/s | × nginx | × tollgate | resident MB |')
  console.log('|---|---:|---:|---:|---:|---:|')
  for (const contender of contenders)
    console.log(row(results, contender, micros('nginx'), micros('tollgate')))
  const others = contenders.map(({ program }) => program.name).filter((name) => name !== 'tollgate')
  for (const warning of warnings(results, [scenario], { subject: 'tollgate', others }))
    console.log(`\n${warning}`)
}

async function main(): Promise<void> {
  const upstream = await startScript('upstream', './upstream.ts', [])
  const generator = startLoadGenerator()
  const contenders: Contender[] = []
  try {
    const nginx = await startNginx(upstream.port)
    if (nginx !== undefined) contenders.push({ program: nginx })
    const checkout = fileURLToPath(new URL('../..', import.meta.url))
    const gateway = await startGateway('tollgate', checkout, { upstreamPort: upstream.port, accounts: 1 })
    contenders.push({ program: gateway, gateway })
    for (const peer of chosenPeers()) contenders.push(await startPeer(peer, upstream.port))
    const bench: Bench = {
      contenders,
      generator,
      ownProcesses: [process.pid, generator.pid, ...upstream.processes],
    }
    let answered = 0
    for (let slice = 0; slice < warmUpSlices; slice += 1)
      for (const contender of contenders) {
        const warm = await measureSlice(bench, contender, scenario, slice)
        if (contender.gateway !== undefined) answered += warm.answered
      }
    console.log(await proveLevels(gateway, answered))
    const results = new Results()
    for (let round = 0; round < Number(values.rounds); round += 1)
      for (const contender of contenders)
        results.add(
          scenario.name,
          contender.program.name,
          await measureSlice(bench, contender, scenario, round),
        )
    print(results, contenders)
  } finally {
    for (const { program } of contenders) await program.stop()
    await generator.stop()
    await upstream.stop()
  }
}

await main()
