import { type Condition, everyCondition } from './condition.ts'
import type { Context } from './context.ts'
import { filterToCondition } from './filter-to-condition.ts'
import type { PropertyShape } from './provider.ts'
import type { ResourceType } from './resource-type.ts'

/** Whether a write of other rows can move a row of the type out of the write scope, because the scope reads relations. */
export async function scopeReadsRelations(type: ResourceType, context: Context): Promise<boolean> {
  const scope = await context.writeScope(type)
  return scope !== undefined && !isOfOwnColumns(scope, type)
}

/** Whether a condition only compares columns of the row itself. */
function isOfOwnColumns(scope: Condition, type: ResourceType): boolean {
  return everyCondition(scope, (condition) => {
    if (condition.kind !== 'native') return condition.kind !== 'exists' && condition.kind !== 'pivot'
    return filterToCondition(condition.filter, (name) => isColumn(type.shape.properties.get(name))) !== null
  })
}

function isColumn(property: PropertyShape | undefined): boolean {
  return property?.role === 'scalar' || (property?.role === 'toOne' && property.owner)
}
