import type { AppHook, AppHooks, Plugin, TypeHook, TypeHooks } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { TypePlanDraft, TypeStages, TypeSteps } from '../model/type-stages.ts'

/** Calls `planType` of each plugin once, and groups the steps that it adds. */
export function createTypeSteps(type: ResourceType, plugins: readonly Plugin[]): TypeSteps {
  const draft = draftOf(type)
  for (const plugin of plugins) plugin.planType?.(draft)
  return toSteps(draft)
}

/** The steps of a type before all declarations are valid. */
export const noTypeSteps: TypeSteps = toSteps(noSteps())

/** The names of the plugins that add steps to each stage of a type, in call order. */
export function pluginsOfType(
  type: ResourceType,
  plugins: readonly Plugin[],
): Readonly<Record<keyof TypeStages, readonly string[]>> {
  const names = Object.fromEntries(Object.keys(noSteps()).map((stage) => [stage, [] as string[]]))
  for (const plugin of plugins) {
    const { type: _, ...stages } = draftOf(type)
    plugin.planType?.({ type, ...stages })
    for (const [stage, added] of Object.entries(stages)) names[stage]?.push(...added.map(() => plugin.name))
  }
  return names as Record<keyof TypeStages, string[]>
}

function draftOf(type: ResourceType): TypePlanDraft {
  return { type, ...noSteps() }
}

function noSteps(): Omit<TypePlanDraft, 'type'> {
  return { scope: [], allows: [], filterRows: [], beforeRelationLoad: [], checkRows: [], beforeRender: [] }
}

function toSteps({
  scope,
  checkRows,
  allows,
  filterRows,
  beforeRelationLoad,
  beforeRender,
}: ReturnType<typeof noSteps>) {
  const steps: TypeSteps = {
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
    allows,
    filterRows,
    beforeRelationLoad,
    beforeRender,
  }
  return steps
}

const appHooks = [
  'onRoute',
  'onQuery',
  'onTransaction',
  'onValidate',
  'beforeAction',
  'onError',
  'beforeSend',
  'aroundStage',
] as const satisfies readonly AppHook[]

const typeHooks = [
  'precondition',
  'beforeSave',
  'afterSave',
  'afterWrite',
  'afterCommit',
] as const satisfies readonly TypeHook[]

/** Finds the plugins that implement each hook, so that a request calls no other plugin. */
export function findAppHooks(plugins: readonly Plugin[]): AppHooks {
  return findHooks(appHooks, (hook) => plugins.filter((plugin) => plugin[hook] !== undefined))
}

export function findTypeHooks(plugins: readonly Plugin[], type: ResourceType): TypeHooks {
  return findHooks(typeHooks, (hook) => pluginsFor(hook, plugins, type))
}

/** The plugins whose hook applies to the type. */
export function pluginsFor(hook: TypeHook, plugins: readonly Plugin[], type: ResourceType): readonly Plugin[] {
  return plugins.filter((plugin) => plugin[hook] !== undefined && (plugin.appliesTo?.(type, hook) ?? true))
}

function findHooks<Hook extends string>(
  hooks: readonly Hook[],
  find: (hook: Hook) => readonly Plugin[],
): Readonly<Record<Hook, readonly Plugin[]>> {
  return Object.fromEntries(hooks.map((hook) => [hook, find(hook)])) as Record<Hook, readonly Plugin[]>
}

/** The hooks of a type before all declarations are valid. */
export const noTypeHooks: TypeHooks = findHooks(typeHooks, () => [])

/** Returns the plugins with the hooks that `decorate` of each of them returns. */
export function decoratePlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  const decorate = (plugin: Plugin, { decorate }: Plugin) => decorate?.(plugin) ?? plugin
  return plugins.map((plugin) => plugins.reduce(decorate, plugin))
}
