import type { Plugin } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { TypePlanDraft, TypeSteps } from '../model/stages.ts'
import { collectSteps } from './collect-steps.ts'

/** Calls `planType` of every plugin for a type, and groups the steps that it adds. */
export function createTypeSteps(type: ResourceType, list: readonly Plugin[]): TypeSteps {
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

function noSteps(): Omit<TypePlanDraft, 'type'> {
  return { scope: [], allows: [], filterRows: [], beforeRelationLoad: [], checkRows: [], beforeRender: [] }
}
