import type { EntityMetadata } from '@mikro-orm/core'
import type { App, Attribute } from '#kernel/plugin'
import type { Orm } from '#store'

/**
 * Attributes whose text in documents lacks a part of the time that their column stores: an update that sends the text
 * back destroys that part. Skips attributes that no update can write, and those that functions convert.
 */
export function lossyFormats({ registry }: App, orm: Orm): string[] {
  const stored = [...registry.types.values()].filter(({ isStandalone }) => !isStandalone)
  return stored.flatMap(({ name, file, entity, attributes, relations }) => {
    const metadata = orm.getMetadata()
    const ofType = attributes.flatMap((attribute) => findLosses(attribute, name, metadata.get(entity)))
    const ofPivots = relations.flatMap(({ name: relation, pivotFields, pivotEntity }) => {
      const path = `${name}.${relation}`
      return pivotEntity ? pivotFields.flatMap((field) => findLosses(field, path, metadata.get(pivotEntity))) : []
    })
    return [...ofType, ...ofPivots].map(
      ({ member, lost, column }) =>
        `${member} (${file}): Its column is a ${column}; documents do not show ${lost.join(', ')}.`,
    )
  })
}

interface Loss {
  readonly member: string
  readonly lost: readonly string[]
  /** The SQL type of the column. */
  readonly column: string
}

function findLosses(attribute: Attribute, parent: string, entity: EntityMetadata): Loss[] {
  const { name, kind, children, property, on } = attribute
  const member = `${parent}.${name}`
  if (kind === 'map') return children.flatMap((child) => findLosses(child, member, entity))
  const column = property && !on ? entity.properties[property as never]?.columnTypes?.[0] : undefined
  const lost = column && isWrittenBack(attribute) ? lostParts(attribute, column) : []
  return column && lost.length > 0 ? [{ member, lost, column }] : []
}

function isWrittenBack({
  hidden,
  writeOnly,
  readOnlyOnUpdate,
  serialize,
  extract,
  deserialize,
  fill,
}: Attribute): boolean {
  const isConverted = [serialize, extract, deserialize, fill].some((convert) => convert !== null)
  return hidden !== true && writeOnly !== true && readOnlyOnUpdate !== true && !isConverted
}

const day = ['YYYY', 'MM', 'DD']
const clock = ['HH', 'mm', 'ss']

/** The parts of the time that the column stores and the attribute does not render. */
function lostParts(attribute: Attribute, column: string): string[] {
  const stored = partsOfColumn(column)
  const shown = partsOfAttribute(attribute)
  return shown ? stored.filter((part) => !shown.includes(part)) : []
}

/** Undefined if the attribute is not a time. */
function partsOfAttribute({ kind, format }: Attribute): readonly string[] | undefined {
  if (kind === 'date') return day
  if (kind === 'time') return clock
  if (kind !== 'dateTime') return undefined
  return format === null ? [...day, ...clock, 'SSS'] : (format.match(/YYYY|MM|DD|HH|mm|SSS|ss/g) ?? [])
}

/** Empty if the column is not a time. */
function partsOfColumn(column: string): readonly string[] {
  const [, name, precision = '6'] = /^(timestamp|date|time)(?:tz)?(?:\((\d)\))?/.exec(column.toLowerCase()) ?? []
  if (!name) return []
  if (name === 'date') return day
  const digits = Number(precision)
  const fraction = digits > 3 ? ['SSS', 'microseconds'] : digits > 0 ? ['SSS'] : []
  return [...(name === 'time' ? [] : day), ...clock, ...fraction]
}
