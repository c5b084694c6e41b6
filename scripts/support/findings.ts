import type { Relation, ResourceType } from '#kernel'
import { type App, type Attribute, declarationKeys } from '#kernel/plugin'

/** A modifier or key of a declaration without effect. */
export interface Finding {
  /** `albums.title`, or `albums` for a key of the type. */
  readonly member: string
  /** `countable()` for a modifier, `tags` for a key. */
  readonly word: string
  /** The plugin that will implement it; null if no enabled plugin defines it. */
  readonly plugin: string | null
  readonly file: string
}

/** Returns modifiers and keys that no enabled plugin defines. */
export function inertUses(app: App): Finding[] {
  const keys = new Set<string>([...declarationKeys, ...app.plugins.flatMap((plugin) => Object.keys(plugin.keys ?? {}))])
  return usesIn(app).flatMap(({ role, name, isInert, ...use }) => {
    return isInert || (role === 'type' && !keys.has(name)) ? [{ ...use, plugin: null }] : []
  })
}

interface Use {
  readonly role: 'type' | 'attribute' | 'relation' | 'value'
  readonly name: string
  readonly member: string
  readonly word: string
  readonly file: string
  readonly isInert: boolean
}

function usesIn({ registry }: App): Use[] {
  return [...registry.types.values()].flatMap((type) => [
    ...Object.entries(type.declaration).flatMap(([name, value]) => (value === undefined ? [] : [keyUse(type, name)])),
    ...type.declaredModifiers.map(({ member, name }) => valueUse(type, member, name)),
    ...[...type.attributes, ...type.relations].flatMap((field) => wordUses(type, field, type.name)),
  ])
}

function keyUse({ name: member, file }: ResourceType, name: string): Use {
  return { role: 'type', name, member, word: name, file, isInert: false }
}

function valueUse({ name: type, file }: ResourceType, member: string, name: string): Use {
  return { role: 'value', name, member: `${type}.${member}`, word: `${name}()`, file, isInert: false }
}

/** Returns the modifiers of a field and of its children. */
function wordUses(type: ResourceType, field: Attribute | Relation, path: string): Use[] {
  const { role, modifiers: words, ignoredModifiers } = field
  const member = `${path}.${field.name}`
  const own = [...new Set(words)].map((name) => ({
    role,
    name,
    member,
    word: `${name}()`,
    file: type.file,
    isInert: ignoredModifiers.some((inert) => inert.name === name),
  }))
  return [...own, ...fieldsInside(field).flatMap((inner) => wordUses(type, inner, member))]
}

function fieldsInside(field: Attribute | Relation): readonly Attribute[] {
  if (field.role === 'relation') return field.pivotFields
  return [...field.children, ...[...field.variants.values()].flat()]
}
