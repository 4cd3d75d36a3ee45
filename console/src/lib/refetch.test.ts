/** What is shown follows the server, also where a change is announced while the first answer is on its way. */
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
    queryFn: () => answers.shift() ?? Promise.reject(new Error('nobody asked for more')),
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
