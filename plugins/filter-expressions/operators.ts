import type { Attribute, AttributeKind, PropertyShape } from '#kernel/plugin'
import { listValues } from '#plugins/filtering/index.ts'
import type { ComparisonOperator, Literal } from './expression.ts'

const equality = ['eq', 'ne', 'in', 'null'] as const
const order = ['gt', 'ge', 'lt', 'le'] as const
const textParts = ['contains', 'starts', 'ends'] as const

interface Kind {
  readonly operators: readonly ComparisonOperator[]
  /** How its values are written in an expression. */
  readonly literal: Literal['kind']
}

const text: Kind = { operators: [...equality, ...order, ...textParts], literal: 'text' }
const number: Kind = { operators: [...equality, ...order], literal: 'number' }
const time: Kind = { operators: [...equality, ...order], literal: 'text' }
/** Also of an enum, and of an attribute that lists its values: they have no documented order. */
const word: Kind = { operators: equality, literal: 'text' }

const kinds: Readonly<Partial<Record<AttributeKind, Kind>>> = {
  string: text,
  email: text,
  url: text,
  slug: text,
  ip: word,
  uuid: word,
  integer: number,
  decimal: number,
  boolean: { operators: equality, literal: 'boolean' },
  dateTime: time,
  date: time,
  time,
}

/** The operators of the id of a resource. */
export const idKind: Kind = { operators: ['eq', 'ne', 'in'], literal: 'text' }

/** Returns the operators of an attribute and the form of its values; undefined if it cannot be filtered by expressions. */
export function findKind(attribute: Attribute, { values }: Pick<PropertyShape, 'values'>): Kind | undefined {
  const found = kinds[attribute.kind]
  return (values ?? listValues(attribute)) && found?.literal === 'text' ? word : found
}

export type { Kind as FilterableKind }
