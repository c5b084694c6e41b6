import type { Condition } from '#kernel/store'
import type { ColumnType } from './column-types.ts'

type OfColumn = Extract<Condition, { kind: 'compare' | 'in' | 'text' }>
/** Binds what is read from the condition. */
type Bind = (read: (condition: never) => unknown, cast?: string) => string

/** Values that are no texts, and so contain none. */
const notTexts = new Set(
  ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'bool', 'timestamptz', 'timestamp'].concat('json', 'jsonb'),
)

/** The SQL of a comparison with one column. A column that is a list meets it when one of its items does. */
export function predicate(condition: OfColumn, type: ColumnType, column: string, bind: Bind): string {
  const { item } = type
  if (item) return ofList(condition, type, item, column, bind)
  switch (condition.kind) {
    case 'in': {
      const { cast, listCast = `${cast}[]` } = type
      if (condition.values.length === 1) return `${column} = ${bind(onlyOf, cast)}`
      return condition.values.length > 0 ? `${column} = any(${bind(valuesOf, listCast)})` : 'false'
    }
    case 'compare': {
      const operator = condition.operator === '!=' ? '<>' : condition.operator
      return `${column} ${operator} ${bind(comparedOf, type.cast)}`
    }
    case 'text':
      return notTexts.has(type.cast) ? 'false' : `lower(${column}::text collate "C") like ${bind(patternOf)}`
  }
}

function ofList(condition: OfColumn, { cast }: ColumnType, item: ColumnType, column: string, bind: Bind): string {
  if (condition.kind === 'in') return `${column} && ${bind(valuesOf, cast)}`
  if (condition.kind === 'compare' && condition.operator === '=') return `${column} && ${bind(itemOf, cast)}`
  return `exists (select 1 from unnest(${column}) item where ${predicate(condition, item, 'item', bind)})`
}

type Of<Kind extends OfColumn['kind']> = Extract<OfColumn, { kind: Kind }>

const valuesOf = ({ values }: Of<'in'>) => values
const onlyOf = ({ values }: Of<'in'>) => values[0]
const comparedOf = ({ value }: Of<'compare'>) => value
const itemOf = ({ value }: Of<'compare'>) => [value]

/** Only ASCII letters are equal to their other case. */
function patternOf({ match, text }: Of<'text'>): string {
  const literal = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, '\\$&')
  return `${match === 'starts' ? '' : '%'}${literal}${match === 'ends' ? '' : '%'}`
}
