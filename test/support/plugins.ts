import { plugins } from '#app/plugins.ts'

/** The plugin, and all that cannot be without it. */
export function withDependents(name: string): string[] {
  const dependents = plugins.filter(({ requires }) => requires?.includes(name))
  return [...new Set([name, ...dependents.flatMap((dependent) => withDependents(dependent.name))])]
}
