import type { AppHook, AppHooks, Plugin, TypeHook, TypeHooks } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'

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
  'scope',
  'showsType',
  'filterRows',
  'beforeRelationLoad',
  'writeScope',
  'allows',
  'beforeRender',
  'precondition',
  'onMembers',
  'onLink',
  'beforeSave',
  'afterSave',
  'onRowsWritten',
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
