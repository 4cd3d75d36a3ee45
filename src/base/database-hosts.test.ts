/** Addresses of databases with one host or several: what a connection gets of them, and which are rejected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress, databaseUrlMistake, hostUrls } from './database-hosts.ts'

test('each host of an address is an address of its own, with user, database and parameters', () => {
  const cases: readonly (readonly [address: string, hosts: readonly string[]])[] = [
    ['postgres://db/name', ['postgres://db/name']],
    [
      'postgres://u:p%40@a,b:5433/name?x=1',
      ['postgres://u:p%40@a/name?x=1', 'postgres://u:p%40@b:5433/name?x=1'],
    ],
    ['postgresql://[::1]:1,[::2]/n', ['postgresql://[::1]:1/n', 'postgresql://[::2]/n']],
  ]
  for (const [address, hosts] of cases) {
    assert.deepEqual(hostUrls(address), hosts)
    assert.equal(databaseUrlMistake(address), undefined, address)
  }
  assert.equal(databaseUrlMistake('postgres:///name?host=/run/postgresql'), undefined)
})

test('an address that cannot be used says why', () => {
  const shape = /must be postgres:\/\/ with a host and a database/
  const cases: readonly (readonly [address: string, message: RegExp])[] = [
    ['', shape],
    ['mysql://a/name', shape],
    ['postgres://a', shape],
    ['postgres://a,/name', shape],
    ['postgres://,a/name', shape],
    ['postgres://a,b:x/name', shape],
    ['postgres://a,b/name?target_session_attrs=standby', /target_session_attrs must be read-write/],
  ]
  for (const [address, message] of cases) assert.match(databaseUrlMistake(address) ?? '', message, address)
})

test('what a connection is given is not replaced by the address, and TLS means what it means to psql', () => {
  const address = 'postgres://a/name?target_session_attrs=primary&application_name=x&options=-c%20a%3Db'
  assert.equal(clientAddress(address), 'postgres://a/name')
  assert.equal(
    clientAddress('postgres://a/name?sslmode=require'),
    'postgres://a/name?sslmode=require&uselibpqcompat=true',
  )
})
