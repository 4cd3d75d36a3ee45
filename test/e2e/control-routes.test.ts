/** Everything below `/api` has a policy: the routes of the real server, against the contract and one table. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '../../contract/operations.ts'
import { type OtherRoute, otherRoutes } from '../../src/api/other-routes-table.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { mountedRoutes } from '../support/mounted-routes.ts'

let gateway: TestGateway
let mounted: readonly string[]

before(async () => {
  gateway = await testGateway()
  mounted = (await mountedRoutes(gateway)).filter((address) => address.includes(' /api'))
})
after(() => gateway.close())

/** `HEAD` is `GET` without the body. */
const withHead = (method: string) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const ofContract = Object.values(operations).flatMap(({ http }) =>
  http === null
    ? []
    : withHead(http[0]).map((method) => `${method} ${http[1].replaceAll(/\{(\w+)\}/g, ':$1')}`),
)
const ofTable = Object.values<OtherRoute>(otherRoutes).flatMap(({ methods, path }) =>
  methods.flatMap(withHead).map((method) => `${method} ${path}`),
)

test('every route is of the contract or of the table', () => {
  assert.ok(mounted.length > 60)
  for (const address of mounted) {
    assert.ok(ofContract.includes(address) || ofTable.includes(address), `${address} has no policy`)
  }
})

test('every operation of the contract is mounted once', () => {
  for (const address of ofContract) {
    assert.equal(mounted.filter((one) => one === address).length, 1, address)
  }
})

test('every row of the table says who may use it, and is mounted', () => {
  const absent = Object.values<OtherRoute>(otherRoutes).filter(
    ({ path }) => !mounted.some((address) => address.endsWith(` ${path}`)),
  )
  assert.deepEqual(
    absent,
    [otherRoutes.play, otherRoutes.webhook],
    'the data plane plays, and without payments there is no webhook',
  )
  for (const { policy } of Object.values<OtherRoute>(otherRoutes)) assert.match(policy, /\w.+\.$/)
})
