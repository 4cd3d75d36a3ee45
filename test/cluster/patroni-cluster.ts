/**
 * Three PostgreSQL servers under Patroni, with etcd, from the system's packages: on loopback, in a temporary folder. A guard ends
 * all of it when this process ends, however that happens.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  appendFileSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../support/free-port.ts'
import { eventually } from '../support/metered-gateway.ts'

export interface Node {
  readonly name: string
  readonly port: number
  readonly restPort: number
  readonly folder: string
}

export interface PatroniCluster {
  readonly nodes: readonly Node[]
  /** The address with all hosts. */
  readonly url: string
  /** The node that takes writes now. */
  primary(): Promise<Node>
  /** Resolves when there are a primary, a synchronous standby and another one. */
  healthy(): Promise<void>
  /** Kills the server of a node, and with `machine` its Patroni, too. */
  kill(node: Node, what: 'server' | 'machine'): void
  /** Starts the Patroni of a node again where it was killed. */
  revive(node: Node): void
  /** Resolves when a transaction is committed, with its wait for the synchronous standby. */
  committed(): Promise<void>
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root; every system has this user. */
const unprivileged = { uid: 65_534, gid: 65_534 }
const user: Partial<typeof unprivileged> = process.getuid?.() === 0 ? unprivileged : {}

const isFile = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The newest PostgreSQL of the system, in Debian's place. */
function postgresPrograms(): string | undefined {
  const root = '/usr/lib/postgresql'
  try {
    const [newest] = readdirSync(root).sort((one, other) => Number(other) - Number(one))
    return newest === undefined ? undefined : join(root, newest, 'bin')
  } catch {
    return undefined
  }
}

const programs = { patroni: '/usr/bin/patroni', etcd: '/usr/bin/etcd' }

/** The packages that are missing here. */
export function missingPackages(): readonly string[] {
  return [
    ...(isFile(programs.patroni) ? [] : ['patroni']),
    ...(isFile(programs.etcd) ? [] : ['etcd-server']),
    ...(isFile(join(postgresPrograms() ?? '', 'postgres')) ? [] : ['postgresql']),
  ]
}

/** Kills what is named in `processes` and each server, when its input ends. */
const guard = `
cat >/dev/null
for each in $(cat "$FOLDER/processes"); do kill -9 "$each" 2>/dev/null; done
for each in "$FOLDER"/*/data/postmaster.pid; do kill -9 "$(head -n 1 "$each")" 2>/dev/null; done
rm -rf "$FOLDER"
`

/** Patroni accepts no shorter one than 20 s: how long a primary whose machine is gone counts as present. */
const ttlSeconds = 20

const settings = ({ name, port, restPort, folder }: Node, etcdPort: number): object => ({
  scope: 'tollgate',
  name,
  restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
  etcd3: { host: `127.0.0.1:${etcdPort}` },
  bootstrap: {
    dcs: {
      ttl: ttlSeconds,
      loop_wait: 1,
      retry_timeout: 5,
      synchronous_mode: true,
      // A server that crashes is replaced, and not waited for.
      primary_start_timeout: 0,
      postgresql: {
        use_pg_rewind: true,
        parameters: { max_connections: 200, shared_buffers: '32MB', wal_keep_size: '128MB', timezone: 'UTC' },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: join(folder, 'data'),
    bin_dir: postgresPrograms(),
    pgpass: join(folder, 'pgpass'),
    authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
    parameters: { unix_socket_directories: folder },
    pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    remove_data_directory_on_rewind_failure: true,
    remove_data_directory_on_diverged_timelines: true,
  },
})

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

export async function startCluster(): Promise<PatroniCluster> {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-cluster-'))
  chmodSync(root, 0o755)
  writeFileSync(join(root, 'processes'), '')
  const guarding = spawn('sh', ['-c', guard], {
    env: { FOLDER: root, PATH: process.env.PATH ?? '' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const folderOf = (name: string): string => {
    const folder = join(root, name)
    mkdirSync(folder, { mode: 0o700 })
    if (user.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid)
    return folder
  }
  const run = (program: string, words: readonly string[], folder: string): ChildProcess => {
    const child = spawn(program, words, {
      ...user,
      cwd: folder,
      env: { HOME: folder, PATH: process.env.PATH ?? '' },
      stdio: 'ignore',
    })
    appendFileSync(join(root, 'processes'), `${child.pid} `)
    return child
  }
  const [etcdPort, peerPort] = [await freePort(), await freePort()]
  const etcdFolder = folderOf('etcd')
  run(
    programs.etcd,
    [
      ...['--data-dir', etcdFolder, '--unsafe-no-fsync'],
      ...['--listen-client-urls', `http://127.0.0.1:${etcdPort}`],
      ...['--advertise-client-urls', `http://127.0.0.1:${etcdPort}`],
      ...['--listen-peer-urls', `http://127.0.0.1:${peerPort}`],
      ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peerPort}`],
      ...['--initial-cluster', `default=http://127.0.0.1:${peerPort}`],
    ],
    etcdFolder,
  )
  const nodes: Node[] = []
  for (const name of ['one', 'two', 'three'])
    nodes.push({ name, port: await freePort(), restPort: await freePort(), folder: folderOf(name) })
  const patronis = new Map<string, ChildProcess>()
  const startPatroni = (node: Node): void => {
    // JSON is YAML.
    writeFileSync(join(node.folder, 'patroni.yml'), JSON.stringify(settings(node, etcdPort)), { mode: 0o644 })
    patronis.set(node.name, run(programs.patroni, [join(node.folder, 'patroni.yml')], node.folder))
  }
  for (const node of nodes) startPatroni(node)
  return clusterOf(nodes, { patronis, startPatroni, guarding })
}

interface Processes {
  readonly patronis: ReadonlyMap<string, ChildProcess>
  readonly startPatroni: (node: Node) => void
  readonly guarding: ChildProcess
}

function clusterOf(nodes: readonly Node[], { patronis, startPatroni, guarding }: Processes): PatroniCluster {
  const members = async (): Promise<readonly Member[]> => {
    const asked = nodes.map(async ({ restPort }) => {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`)
      return ((await answer.json()) as { readonly members: readonly Member[] }).members
    })
    return Promise.any(asked).catch(() => [])
  }
  const named = (members: readonly Member[], role: string): Node | undefined => {
    const found = members.find((member) => member.role === role && isUp(member))
    return nodes.find(({ name }) => name === found?.name)
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    nodes,
    url: `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
    async primary() {
      const found = await eventually(
        'there is a primary',
        async () => named(await members(), 'leader'),
        Boolean,
      )
      return found as Node
    },
    async healthy() {
      for (let tries = 0; tries < 3; tries += 1) {
        const isHealthy = await eventually('the cluster is healthy', members, (found) => {
          const up = found.filter(isUp).map(({ role }) => role)
          return up.length === nodes.length && up.includes('leader') && up.includes('sync_standby')
        }).then(
          () => true,
          () => false,
        )
        if (isHealthy) return
      }
      throw new Error(`the cluster is not healthy: ${JSON.stringify(await members())}`)
    },
    kill({ name, folder }, what) {
      if (what === 'machine') patronis.get(name)?.kill('SIGKILL')
      const [server = ''] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(server), 'SIGKILL')
    },
    revive(node) {
      if (patronis.get(node.name)?.killed === true) startPatroni(node)
    },
    committed: () => Promise.any(nodes.map(({ port }) => commit(port))),
    async stop() {
      const ended = once(guarding, 'exit')
      guarding.stdin?.end()
      await ended
    },
  }
}

const isUp = ({ state }: Member): boolean => state === 'running' || state === 'streaming'

async function commit(port: number): Promise<void> {
  const client = new pg.Client({
    connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
    connectionTimeoutMillis: 1_000,
    query_timeout: 5_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('CREATE TABLE IF NOT EXISTS cluster_probe (at timestamptz)')
    await client.query('INSERT INTO cluster_probe VALUES (now())')
  } finally {
    // Where it is lost already there is nothing to end.
    client.end().catch(() => {})
  }
}
