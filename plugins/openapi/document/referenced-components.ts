import type { DraftState } from '../draft-state.ts'

/** The referenced components by name. */
export function referencedComponents(
  root: object,
  { components }: Pick<DraftState, 'components'>,
): Record<string, object> {
  const seen = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, reference] of JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/g)) {
      if (reference === undefined || seen.has(reference)) continue
      seen.add(reference)
      const [section = '', name = ''] = reference.split('/')
      visit(components[section as keyof typeof components]?.get(name) ?? null)
    }
  }
  visit(root)
  const sections = Object.entries(components).map(([section, parts]) => {
    const used = [...parts].filter(([name]) => section === 'securitySchemes' || seen.has(`${section}/${name}`))
    return [section, Object.fromEntries(used.toSorted(([a], [b]) => (a < b ? -1 : 1)))] as const
  })
  return Object.fromEntries(sections.filter(([, parts]) => Object.keys(parts).length > 0))
}
