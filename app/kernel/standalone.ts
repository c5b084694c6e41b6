import { applicationError } from './core-errors.ts'
import type { EntityShape, Persister, PropertyShape, Provider } from './provider.ts'

/** A property of rows that are plain objects: any text may be compared with it. */
export function plainProperty(name: string): PropertyShape {
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

export function shapeOf(name: string, properties: readonly string[]): EntityShape {
  return { name, key: 'id', properties: new Map(properties.map((property) => [property, plainProperty(property)])) }
}

/** The rows of a type that says nothing about them: an id. */
export const plainShape: EntityShape = shapeOf('Row', ['id'])

const unavailable = async (): Promise<never> => {
  throw applicationError()
}

/** Of a type that is only rendered: nothing may ask it for rows. */
export const noProvider: Provider = {
  one: unavailable,
  many: unavailable,
  collection: unavailable,
  count: unavailable,
  related: unavailable,
}

export const noPersister: Persister = {
  load: unavailable,
  create: unavailable,
  change: unavailable,
  remove: unavailable,
  flush: unavailable,
  keyOf: () => undefined,
}
