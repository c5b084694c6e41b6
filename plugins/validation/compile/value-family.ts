import type { Attribute, AttributeKind } from '#kernel/plugin'
import type { Rules } from '../rules.ts'

/** Attribute kinds that share their rules. */
export type ValueFamily = 'text' | 'number' | 'list' | 'hash' | 'other'

const families: Partial<Record<AttributeKind, ValueFamily>> = {
  string: 'text',
  email: 'text',
  url: 'text',
  uuid: 'text',
  slug: 'text',
  ip: 'text',
  dateTime: 'text',
  date: 'text',
  time: 'text',
  integer: 'number',
  decimal: 'number',
  arrayList: 'list',
  arrayHash: 'hash',
}

export function findFamily({ kind }: Attribute): ValueFamily {
  return families[kind] ?? 'other'
}

const numberRules = ['min', 'max', 'exclusiveMin', 'exclusiveMax', 'multipleOf'] as const

/** Returns 'number' if `each()` has rules for numbers, else 'text'. */
export function itemFamily(rules: Rules): ValueFamily {
  const listed = [...(rules.in ?? []), ...(rules.notIn ?? [])]
  return numberRules.some((rule) => rules[rule] !== undefined) || listed.some((value) => typeof value === 'number')
    ? 'number'
    : 'text'
}
