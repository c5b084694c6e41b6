import type { Plugin } from '../contract/plugin.ts'
import type { TypePlanBuilder, TypeSteps } from '../contract/stages.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { collectSteps } from './collect-steps.ts'

/** Adds the steps of plugins to a type, and what follows from them. */
export function addTypeSteps(type: ResourceType, list: readonly Plugin[]): void {
  type.steps = createTypeSteps(type, list)
  const { scope, filterRows } = type.steps
  type.filtersRowsAfterRead = filterRows.length > 0
  const isScoped = type.declaration.scope !== undefined || scope.addressed.length + scope.visible.length > 0
  type.mayBeScoped = isScoped || type.shape.excludesRows === true
}

/** Calls `planType` of every plugin for a type, and groups the steps that it adds. */
function createTypeSteps(type: ResourceType, list: readonly Plugin[]): TypeSteps {
  const { steps, plugins } = collectSteps(list, noSteps, (plugin, added) => plugin.planType?.({ type, ...added }))
  const { scope, checkRows } = steps
  return {
    ...steps,
    scope: {
      addressed: scope.filter((step) => step.of === 'addressed'),
      visible: scope.filter((step) => step.of === 'visible'),
      written: scope.filter((step) => step.of === 'written'),
    },
    checkRows: {
      members: checkRows.filter((step) => step.of === 'members'),
      links: checkRows.filter((step) => step.of === 'links'),
      written: checkRows.filter((step) => step.of === 'written'),
    },
    plugins,
  }
}

function noSteps(): Omit<TypePlanBuilder, 'type'> {
  return { scope: [], allows: [], filterRows: [], beforeRelationLoad: [], checkRows: [], beforeRender: [] }
}
