import { parseDateTime } from '../codecs/temporal.ts'
import { acceptedForms } from '../errors/accepted-forms.ts'
import type { EntityShape, PropertyShape } from '../schema/entity-shape.ts'
import type { Attribute, AttributeKind, Field, Row } from '../schema/field.ts'

/** The shape of a property of plain rows. It may be compared with any scalar. */
function scalarProperty(name: string): PropertyShape {
  return {
    name,
    role: 'scalar',
    lazy: false,
    nullable: true,
    owner: true,
    parse: (text) => text,
    accepts: (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
  }
}

/** Derives the shape of plain rows from their values. */
export function shapeOfRows(name: string, rows: readonly Row[]): EntityShape {
  const names = new Set(['id', ...rows.flatMap((row) => Object.keys(row))])
  const properties = [...names].map((property) => {
    const example = rows.map((row) => row[property]).find((value) => value !== null && value !== undefined)
    return [property, { ...scalarProperty(property), ...ofValue(example) }] as const
  })
  return { name, key: 'id', properties: new Map(properties) }
}

/** Adds the properties of the declared attributes to a shape. */
export function withFields({ properties, ...shape }: EntityShape, fields: readonly Field[]): EntityShape {
  const attributes = fields.filter((field): field is Attribute => field.role === 'attribute')
  const stored = attributes.flatMap((field) => (field.kind === 'map' ? field.children : [field]))
  const declared = stored.flatMap(({ property, on, kind }) =>
    property && !on ? [[property, { ...scalarProperty(property), ...ofKind(kind) }] as const] : [],
  )
  return { ...shape, properties: new Map([...properties, ...declared]) }
}

function ofKind(kind: AttributeKind): Partial<PropertyShape> {
  if (kind === 'integer' || kind === 'decimal') return ofValue(0)
  if (kind === 'boolean') return ofValue(true)
  if (kind === 'dateTime') {
    return { parse: (text) => parseDateTime(text, 'UTC')?.toISOString(), accepted: acceptedForms.instant }
  }
  return kind === 'arrayList' ? { holdsItem: () => true } : {}
}

function ofValue(value: unknown): Partial<PropertyShape> {
  if (Array.isArray(value)) return { ...ofValue(value[0]), holdsItem: (item) => typeof item === typeof value[0] }
  if (typeof value === 'number') {
    return {
      parse: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined),
      accepted: acceptedForms.number,
    }
  }
  if (typeof value === 'boolean') {
    return { parse: (text) => ({ true: true, false: false })[text], accepted: acceptedForms.boolean }
  }
  return {}
}

/** The shape of a type that declares none: only an id. */
export const idOnlyShape: EntityShape = shapeOfRows('Row', [])
