/** The view follows the server, also if a change is announced while the first response is in transit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { refetch } from './refetch.ts'

test('a receipt that is written while it is first asked for is shown', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const first = Promise.withResolvers<string>()
  const answers = [first.promise, Promise.resolve('the receipt')]
  const observer = new QueryObserver<string>(client, {
    queryKey: ['request.show', { request: 'req_1' }],
    queryFn: () => answers.shift() ?? Promise.reject(new Error('no further request was expected')),
  })
  const shown = new Promise<string>((resolve) => {
    observer.subscribe(({ data }) => data !== undefined && resolve(data))
  })
  const refreshed = refetch(client, ({ queryKey }) => queryKey[0] === 'request.show')
  first.reject(new Error('404: there is no such request'))
  await refreshed
  assert.equal(observer.getCurrentResult().data, 'the receipt')
  assert.equal(await shown, 'the receipt')
  client.clear()
})

test('changes that come faster than answers are asked for once, after the answer that is on its way', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const first = Promise.withResolvers<string>()
  const second = Promise.withResolvers<string>()
  const answers = [first.promise, second.promise]
  let asked = 0
  const observer = new QueryObserver<string>(client, {
    queryKey: ['usage.show', {}],
    queryFn: () => answers[asked++] ?? Promise.reject(new Error('asked too often')),
  })
  const unsubscribe = observer.subscribe(() => {})
  const all = () => true
  const refreshed = [refetch(client, all), refetch(client, all), refetch(client, all)]
  await new Promise<void>((resolve) => setImmediate(resolve))
  assert.equal(asked, 1, 'the first answer is waited for')
  first.resolve('the first')
  second.resolve('the second')
  await Promise.all(refreshed)
  assert.equal(asked, 2)
  assert.equal(observer.getCurrentResult().data, 'the second')
  unsubscribe()
  client.clear()
})
