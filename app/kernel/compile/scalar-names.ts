import type { EntityShape } from '../schema/entity-shape.ts'

/** Returns the properties that attributes, filters and sorts can name. */
export function scalarNames({ properties }: EntityShape): string[] {
  return [...properties.values()].filter(({ role }) => role === 'scalar').map(({ name }) => name)
}
