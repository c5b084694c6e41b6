import { plugins } from '#app/plugins.ts'

/** Returns the plugin and all plugins that require it. */
export function withDependents(name: string): string[] {
  const dependents = plugins.filter(({ requires }) => requires?.includes(name))
  return [...new Set([name, ...dependents.flatMap((dependent) => withDependents(dependent.name))])]
}
