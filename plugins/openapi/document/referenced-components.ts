import type { DraftState } from '../draft-state.ts'

const prefix = '#/components/'

/** The referenced components by name. */
export function referencedComponents(
  root: object,
  { components }: Pick<DraftState, 'components'>,
): Record<string, object> {
  const seen = new Set<string>()
  const visit = (part: unknown): void => {
    if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) visit(inner)
    if (typeof part !== 'string' || !part.startsWith(prefix) || seen.has(part)) return
    seen.add(part)
    const [section = '', name = ''] = part.slice(prefix.length).split('/')
    visit(components[section as keyof typeof components]?.get(name))
  }
  visit(root)
  const sections = Object.entries(components).map(([section, parts]) => {
    const used = [...parts].filter(([name]) => section === 'securitySchemes' || seen.has(`${prefix}${section}/${name}`))
    return [section, Object.fromEntries(used.toSorted(([a], [b]) => (a < b ? -1 : 1)))] as const
  })
  return Object.fromEntries(sections.filter(([, parts]) => Object.keys(parts).length > 0))
}
