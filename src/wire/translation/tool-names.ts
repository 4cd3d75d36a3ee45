/**
 * Names of tools as another format allows them, and back: the response must call a tool by the name
 * that the caller declared. Pure: the same name always becomes the same, declared or only in the history.
 */
import { shortHash } from './hash.ts'
import type { CallerTool, Tool, ToolNames } from './neutral.ts'

/** A format's rule for tool names. */
export interface NameRule {
  readonly charactersMax: number
  /** Matches a character allowed anywhere but first. */
  readonly allowed: RegExp
  /** Matches a character allowed first. */
  readonly first: RegExp
}

export const openaiNames: NameRule = { charactersMax: 64, allowed: /[\w-]/, first: /[\w-]/ }
export const anthropicNames: NameRule = { charactersMax: 128, allowed: /[\w-]/, first: /[\w-]/ }
export const geminiNames: NameRule = { charactersMax: 64, allowed: /[\w.:-]/, first: /[A-Za-z_]/ }

const hashCharacters = 8

/** The name under which a tool goes; the namespace, which other formats lack, comes before it. */
export function targetName(rule: NameRule, name: string, namespace: string | null): string {
  const full = fullName(name, namespace)
  const fit = fitting(rule, full)
  if (fit === full && fit.length <= rule.charactersMax) return fit
  // Two names that differ only in what was replaced or cut must not meet.
  return withHash(rule, fit, full)
}

function fullName(name: string, namespace: string | null): string {
  return namespace === null ? name : `${namespace}__${name}`
}

function fitting(rule: NameRule, full: string): string {
  let fit = ''
  for (const letter of full) fit += rule.allowed.test(letter) ? letter : '_'
  return rule.first.test(fit.charAt(0)) ? fit : `_${fit}`
}

function withHash(rule: NameRule, fit: string, hashed: string): string {
  return `${fit.slice(0, rule.charactersMax - hashCharacters - 1)}_${shortHash(hashed)}`
}

/**
 * Finds a declared tool; without a namespace, as a choice among several names it, the first of that name. Looks
 * through the tools once, since both lists may be long.
 */
export function toolFinder(
  tools: readonly Tool[],
): (name: string, namespace: string | null) => Tool | undefined {
  const exact = new Map<string, Tool>()
  const first = new Map<string, Tool>()
  for (const tool of tools) {
    const key = keyOf(tool.name, tool.namespace)
    if (!exact.has(key)) exact.set(key, tool)
    if (!first.has(tool.name)) first.set(tool.name, tool)
  }
  return (name, namespace) =>
    exact.get(keyOf(name, namespace)) ?? (namespace === null ? first.get(name) : undefined)
}

function keyOf(name: string, namespace: string | null): string {
  return JSON.stringify([namespace, name])
}

/** Collects, while a request is written, the tools whose answer must be renamed or unwrapped. */
export class NamedTools {
  private readonly rule: NameRule
  private readonly map = new Map<string, CallerTool>()
  /** Which of the caller's tools has a name already. */
  private readonly owners = new Map<string, string>()

  constructor(rule: NameRule) {
    this.rule = rule
  }

  /**
   * The target name of a tool; `wrapped`: its free text goes as `{"input": "…"}`. Of two tools that would get
   * one name (`a__b` of no namespace, and `b` of `a`) the one that was named first keeps it.
   */
  name(name: string, namespace: string | null, wrapped = false): string {
    const owner = keyOf(name, namespace)
    const wanted = targetName(this.rule, name, namespace)
    const isTaken = (this.owners.get(wanted) ?? owner) !== owner
    const target = isTaken
      ? withHash(this.rule, fitting(this.rule, fullName(name, namespace)), owner)
      : wanted
    this.owners.set(target, owner)
    if (wrapped || target !== name) this.map.set(target, { name, namespace, wrapped })
    return target
  }

  get names(): ToolNames {
    return this.map
  }
}
