/** Every possible name becomes one that the format accepts, deterministically and without collisions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Tool } from './neutral.ts'
import {
  anthropicNames,
  geminiNames,
  NamedTools,
  type NameRule,
  openaiNames,
  targetName,
  toolFinder,
} from './tool-names.ts'

const rules: readonly [rule: NameRule, form: RegExp][] = [
  [openaiNames, /^[a-zA-Z0-9_-]{1,64}$/],
  [anthropicNames, /^[a-zA-Z0-9_-]{1,128}$/],
  [geminiNames, /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/],
]
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 140 }),
  fc.stringMatching(/^[\w.-]{0,140}$/),
  fc.constantFrom(
    'é'.repeat(70),
    '😀'.repeat(40),
    `${'a'.repeat(54)}😀😀😀😀😀😀`,
    '\uD83D',
    '',
    '1st',
    '-x',
  ),
)

test('names that the format takes are left alone', () => {
  const rows: readonly [rule: NameRule, name: string][] = [
    [openaiNames, 'get_weather'],
    [openaiNames, '1st-tool'],
    [openaiNames, 'a'.repeat(64)],
    [anthropicNames, 'a'.repeat(128)],
    [geminiNames, 'mcp.server:tool-1'],
    [geminiNames, '_x'],
  ]
  for (const [rule, name] of rows) assert.equal(targetName(rule, name, null), name)
  assert.equal(targetName(openaiNames, 'read', 'files'), 'files__read')
})

test('names that it does not take keep what can be read of them', () => {
  const rows: readonly [rule: NameRule, name: string, namespace: string | null, form: RegExp][] = [
    [openaiNames, 'mcp.server/tool', null, /^mcp_server_tool_[0-9a-z]{8}$/],
    [openaiNames, 'a'.repeat(65), null, /^a{55}_[0-9a-z]{8}$/],
    [anthropicNames, 'a'.repeat(129), null, /^a{119}_[0-9a-z]{8}$/],
    [geminiNames, '1st', null, /^_1st_[0-9a-z]{8}$/],
    [geminiNames, '-x', null, /^_-x_[0-9a-z]{8}$/],
    [openaiNames, 'größe', null, /^gr__e_[0-9a-z]{8}$/],
    // A character of two halves is one that does not fit, wherever the name is cut.
    [openaiNames, `${'a'.repeat(54)}😀😀`, null, /^a{54}___[0-9a-z]{8}$|^a{54}__[0-9a-z]{8}$/],
    [openaiNames, '', null, /^__[0-9a-z]{8}$/],
    [openaiNames, 'tool', 'b.c', /^b_c__tool_[0-9a-z]{8}$/],
  ]
  for (const [rule, name, namespace, form] of rows) assert.match(targetName(rule, name, namespace), form)
})

test('any name becomes one that the format takes, the same each time, and stays it', () => {
  for (const [rule, form] of rules) {
    fc.assert(
      fc.property(anyName, fc.option(anyName), (name, namespace) => {
        const target = targetName(rule, name, namespace)
        assert.match(target, form)
        assert.equal(targetName(rule, name, namespace), target)
        assert.equal(targetName(rule, target, null), target)
      }),
    )
  }
})

test('no two tools of a request get one name, and each is found again', () => {
  const tool = fc.tuple(anyName, fc.option(anyName), fc.boolean())
  const key = ([name, namespace]: readonly [string, string | null, boolean]) =>
    JSON.stringify([name, namespace])
  const nearlyAlike = [
    ['a__b', null, false],
    ['b', 'a', false],
    ['b__c', 'a', false],
    ['c', 'a__b', true],
    ['a.b', null, false],
    ['a/b', null, true],
    ['x'.repeat(100), null, false],
    [`${'x'.repeat(99)}y`, null, false],
  ] as [string, string | null, boolean][]
  for (const [rule, form] of rules) {
    fc.assert(
      fc.property(fc.uniqueArray(tool, { selector: key, maxLength: 30 }), (tools) => {
        const named = new NamedTools(rule)
        const targets = tools.map(([name, namespace, wrapped]) => named.name(name, namespace, wrapped))
        assert.equal(new Set(targets).size, tools.length)
        for (const [index, [name, namespace, wrapped]] of tools.entries()) {
          const target = targets[index] ?? ''
          assert.match(target, form)
          assert.equal(
            named.name(name, namespace, wrapped),
            target,
            'the same when it is called in the history',
          )
          const found = named.names.get(target) ?? { name: target, namespace: null, wrapped: false }
          assert.deepEqual(found, { name, namespace, wrapped })
        }
      }),
      { examples: [[nearlyAlike]] },
    )
  }
})

test('a tool that keeps its name needs no way back', () => {
  const named = new NamedTools(openaiNames)
  named.name('plain', null)
  assert.equal(named.names.size, 0)
  named.name('patch', null, true)
  assert.deepEqual([...named.names], [['patch', { name: 'patch', namespace: null, wrapped: true }]])
})

test('a declared tool is found by its name and namespace, or as the first of its name', () => {
  const tool = (name: string, namespace: string | null): Tool => ({
    name,
    namespace,
    description: null,
    form: 'json',
    schema: null,
    format: null,
    strict: null,
    cache: null,
    pointer: '',
  })
  const tools = [tool('read', 'files'), tool('read', 'mail'), tool('list', null), tool('read', 'mail')]
  const find = toolFinder(tools)
  assert.equal(find('read', 'mail'), tools[1])
  assert.equal(find('read', null), tools[0])
  assert.equal(find('list', null), tools[2])
  assert.equal(find('list', 'files'), undefined)
  assert.equal(find('__proto__', null), undefined)
})
