/**
 * The Helm chart, rendered by `helm` and checked strictly against the schemas of Kubernetes. Needs `helm`, and the package
 * `kubernetes-validate` of Python, in PATH.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { limitDefaults } from '../src/config/config.ts'

const chart = fileURLToPath(new URL('../deploy/helm/tollgate', import.meta.url))
const missing = ['helm', 'kubernetes-validate'].filter((name) => spawnSync(name, ['--help']).status !== 0)
const skip = missing.length === 0 ? false : `${missing.join(' and ')} not installed`

const secret = ['existingSecret=credentials']
const extras = [
  ...['publicUrl=https://gate.example', 'config.limits.drainMs=1000', 'podAnnotations.team=gateways'],
  ...['imagePullSecrets[0].name=registry', 'tolerations[0].operator=Exists', 'nodeSelector.disk=ssd'],
  ...[
    'ingress.enabled=true',
    'ingress.host=gate.example',
    'ingress.className=nginx',
    'ingress.tlsSecret=tls',
  ],
  ...['serviceMonitor.enabled=true', 'serviceMonitor.labels.release=prometheus'],
]
const onPostgres = [...secret, 'postgresql.enabled=true', 'postgresql.replicas=5']

const rendered: readonly (readonly [name: string, values: readonly string[], kinds: readonly string[]])[] = [
  ['the embedded database', [], ['Service', 'StatefulSet']],
  [
    'the embedded database with everything',
    [...secret, ...extras],
    ['ConfigMap', 'Ingress', 'Service', 'ServiceMonitor', 'StatefulSet'],
  ],
  ['PostgreSQL', onPostgres, ['Deployment', 'PodDisruptionBudget', 'Service']],
  [
    'PostgreSQL with everything',
    [...onPostgres, ...extras],
    ['ConfigMap', 'Deployment', 'Ingress', 'PodDisruptionBudget', 'Service', 'ServiceMonitor'],
  ],
]

/** From the Prometheus operator, whose kinds are not in the schemas. */
const serviceMonitor = z.strictObject({
  apiVersion: z.literal('monitoring.coreos.com/v1'),
  kind: z.literal('ServiceMonitor'),
  metadata: z.strictObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
  spec: z.strictObject({
    selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
    endpoints: z.array(
      z.strictObject({
        ...{ port: z.literal('http'), path: z.literal('/metrics'), interval: z.string() },
        authorization: z.strictObject({
          credentials: z.strictObject({ name: z.string(), key: z.literal('TOLLGATE_METRICS_TOKEN') }),
        }),
      }),
    ),
  }),
})

interface Workload {
  readonly kind: string
  readonly spec: {
    readonly replicas: number
    readonly volumeClaimTemplates?: unknown
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly topologySpreadConstraints?: readonly unknown[]
      }
    }
  }
}

describe('the chart', { skip }, () => {
  for (const [name, values, kinds] of rendered) {
    test(`renders valid objects for ${name}`, () => {
      const { stdout, stderr, status } = template(values)
      assert.equal(status, 0, stderr)
      const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Workload)
      assert.deepEqual(objects.map(({ kind }) => kind).toSorted(), kinds)
      for (const object of objects) {
        if (object.kind === 'ServiceMonitor') serviceMonitor.parse(object)
        else {
          const input = JSON.stringify(object)
          const checked = spawnSync('kubernetes-validate', ['--strict', '-'], { input, encoding: 'utf8' })
          assert.equal(checked.status, 0, `${object.kind}: ${checked.stdout}${checked.stderr}`)
        }
      }
      const workload = objects.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment')
      assert.ok(workload !== undefined)
      const { spec } = workload.spec.template
      assert.ok(spec.terminationGracePeriodSeconds * 1_000 > limitDefaults.drainMs + limitDefaults.closeMs)
      const isShared = values.includes('postgresql.enabled=true')
      assert.equal(workload.spec.replicas, isShared ? 5 : 1)
      assert.equal(workload.spec.volumeClaimTemplates === undefined, isShared)
      assert.equal(spec.topologySpreadConstraints !== undefined, isShared)
    })
  }

  test('names the secret that is missing', () => {
    const { status, stderr } = template(['postgresql.enabled=true'])
    assert.notEqual(status, 0)
    assert.match(stderr, /existingSecret with DATABASE_URL and TOLLGATE_SECRET is missing/)
  })

  test('has no warning of the linter', () => {
    const { status, stdout } = spawnSync('helm', ['lint', '--strict', chart], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  })
})

function template(values: readonly string[]) {
  const set = values.flatMap((value) => ['--set', value])
  return spawnSync('helm', ['template', 'gate', chart, ...set], { encoding: 'utf8' })
}
