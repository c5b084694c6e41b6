import { v4 } from 'uuid'
import type { Relation, ResourceType } from '#kernel'
import type { Attribute } from '#kernel/plugin'
import { repeatedCharacters } from './candidates.ts'
import { samplePattern } from './pattern-sample.ts'

const samples: Readonly<Record<Attribute['kind'], (n: number) => unknown>> = {
  string: (n) => `sample ${n}`,
  email: (n) => `sample-${n}@example.com`,
  url: (n) => `https://example.com/${n}`,
  uuid: () => v4(),
  slug: (n) => `sample-${n}`,
  ip: (n) => `203.0.113.${n}`,
  integer: (n) => n,
  decimal: (n) => n,
  boolean: () => false,
  dateTime: (n) => `2020-01-0${n}T00:00:00Z`,
  date: (n) => `2020-01-0${n}`,
  time: () => '12:00:00',
  map: () => ({}),
  obj: () => ({}),
  oneOf: () => ({}),
  arrayList: () => [],
  arrayHash: () => ({}),
}

/** Returns a value that is valid by the declaration, a different one for each number if the rules allow it. */
export function sampleValue({ kind, options: { rules = {} } }: Attribute, n: number): unknown {
  if (rules.in) return rules.in[0]
  if (kind === 'integer' || kind === 'decimal') return sampleNumber(n, rules)
  return kind === 'string' ? sampleText(n, rules) : samples[kind](n)
}

export type Rules = NonNullable<Attribute['options']['rules']>

function sampleNumber(n: number, { min, max, exclusiveMin, exclusiveMax }: Rules): number {
  const lowest = Math.max(min ?? n, exclusiveMin === undefined ? n : exclusiveMin + n)
  return Math.min(lowest, max ?? lowest, exclusiveMax === undefined ? lowest : exclusiveMax - 1)
}

function sampleText(n: number, rules: Rules): string {
  const { minLength = 0, patterns = [] } = rules
  const words = [`sample ${n}`, `sample-${n}`, `s${n}`, `${n}`].map((text) => text.padEnd(minLength, 'x'))
  const matching = patterns.map(({ source }) => samplePattern(source, n))
  return [...words, ...repeatedCharacters(n), ...matching].find((text) => isValidText(text, rules)) ?? `sample ${n}`
}

export function isValidText(text: string, { minLength = 0, maxLength, patterns = [] }: Rules): boolean {
  const { length } = text
  return length >= minLength && length <= (maxLength ?? length) && patterns.every((pattern) => pattern.test(text))
}

/** Returns an id that a client may send, a different one for each number. */
export function sampleId({ codec, id, shape }: ResourceType, n: number): string {
  const { maxLength = Number.POSITIVE_INFINITY } = shape.properties.get(id.property) ?? {}
  const texts = [...(id.generator ? [id.generator()] : []), `sample-${n}`, `s${n}`, `${n}`, v4()]
  const isValid = (text: string) => text.length <= maxLength && codec.accepts(text) && codec.decode(text) !== undefined
  return texts.find(isValid) ?? `sample-${n}`
}

/** The to-one relations that a new resource requires, also those whose column has a default: it may refer to no row. */
export function requiredToOnes(relations: readonly Relation[]): Relation[] {
  return relations.filter(({ owner, name, property, options, toMany, readOnlyOnCreate }) => {
    const column = owner.shape.properties.get(property ?? name)
    const isNotNull = column?.owner === true && !column.nullable && readOnlyOnCreate !== true
    return !toMany && (options.rules?.required || isNotNull)
  })
}
